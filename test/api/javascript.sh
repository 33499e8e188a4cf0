#!/bin/bash
# SPDX-License-Identifier: MIT
# javascript -- docs/guide/javascript.md says what is so.
. "$(dirname "$0")/tap.sh"
guide=docs/guide/javascript.md

rows() {
    sed -n 's/^| `\(weir_[a-z_]*\)` |.*/\1/p' "$guide"
}

every_function_has_one_row() {
    diff <(rows | sort) tools/exports-js.txt
}

quotes_are_verbatim() {
    python3 - "$guide" <<'END'
import pathlib
import re
import sys

guide = pathlib.Path(sys.argv[1]).read_text()
quotes = re.findall(r"^```(?:c|js) +(\S+)\n(.*?)^```$", guide, re.M | re.S)
if not quotes:
    sys.exit("no quotes")
for name, quote in quotes:
    if "\n" + quote not in "\n" + pathlib.Path(name).read_text():
        sys.exit(f"not in {name}:\n{quote}")
END
}

prints_what_the_guide_shows() {
    awk -v heading="\`\`\`text $1" '
        /^```/ { inside = 0 }
        inside { print }
        $0 == heading { inside = 1 }' "$guide" >"$scratch/shown"
    [ -s "$scratch/shown" ] &&
        timeout 30 "$1" >"$scratch/said" && diff "$scratch/shown" "$scratch/said"
}

# The engine's own check: a build that does not work, but does not compile
# either where a value that is borrowed is taken for one that is owned.
values_are_owned_or_borrowed() {
    for file in js/*.c; do
        cc -std=gnu11 -D_GNU_SOURCE -DJS_CHECK_JSVALUE -fsyntax-only -Iinclude \
            -I"${WEIR_QUICKJS_DIR:-.engine/quickjs-ng}" "$file" || return
    done
}

# The first line comes with the first job.
graceful_shutdown_finishes_its_jobs() {
    mkfifo "$scratch/lines"
    build/weir examples/graceful-shutdown.js >"$scratch/lines" &
    { read -r && kill -TERM $! && cat >"$scratch/said"; } <"$scratch/lines"
    wait $! && awk 'NR == 1 { exit !($1 == "CLOSED:" && $2 == $4 && $2 > 0) }' \
        "$scratch/said"
}

expect "no value is both borrowed and owned" values_are_owned_or_borrowed
expect "embed prints what the guide shows" \
    prints_what_the_guide_shows build/embed
expect "the guide quotes the examples as they are" quotes_are_verbatim
expect "graceful-shutdown finishes what it has begun at SIGTERM" \
    graceful_shutdown_finishes_its_jobs
expect "every function of weir/js.h has one row" every_function_has_one_row
finish
