#!/bin/bash
# SPDX-License-Identifier: MIT
# man -- every function and every header has a manual page, which says all that
# the header says, and which man can read.
#
# The pages are those of the release build.
. "$(dirname "$0")/tap.sh"
man=build/man

# The names of the pages in a section, sorted.
pages() {
    (cd "$man/man$1" && printf '%s\n' *."$1") | sed 's/\.[37]$//' |
        LC_ALL=C sort
}

functions_have_pages() {
    diff <(LC_ALL=C sort tools/exports.txt tools/exports-js.txt \
        tools/exports-net.txt tools/exports-explore.txt \
        tools/exports-jobs.txt) <(pages 3)
}

headers_have_pages() {
    diff <({
        echo weir
        printf '%s\n' include/weir/*.h include/weir/{host,net}/*.h |
            sed 's|include/||; s|/|_|g; s|\.h$||'
    } | LC_ALL=C sort) <(pages 7)
}

lint() {
    mandoc -T lint -W warning "$@"
}

lint_is_awake() {
    printf '.TH broken 3 2026-01-01\n.SH NAME\nbroken \\- a page\n.XX\n' \
        >"$scratch/broken.3"
    ! lint "$scratch/broken.3"
}

# All words of each contract, and of each header's first comment, are on the page
# that mandoc shows, in their order.
pages_say_what_headers_say() {
    python3 - "$man" <<'END_OF_PYTHON'
import pathlib
import re
import subprocess
import sys

HEADING = re.compile(r"/\*\n \* weir/.*\n((?: \*.*\n)*?) \*/\n")
CONTRACT = re.compile(r"/\*\*\n((?: \*.*\n)*?) \*/\n"
                      r"^WEIR_API\b[^;{]*?\b(\w+)\s*\(", re.M)
TITLES = {"Thread": "THREADS", "Owns": "OWNERSHIP", "Returns": "RETURN VALUE",
          "Orders": "ORDERING", "": "DESCRIPTION"}


def words(text):
    return " ".join(text.replace("`", "").split())


def sections(page):
    shown = subprocess.run(["mandoc", "-T", "ascii", page], check=True,
                           capture_output=True, text=True).stdout
    shown = re.sub(".\b", "", shown)
    parts = re.split(r"^(\S.*)\n", shown, flags=re.M)
    return {title: words(text) for title, text in zip(parts[1::2], parts[2::2])}


def uncomment(comment):
    return re.sub(r"^ \* ?", "", comment, flags=re.M)


def contract_parts(comment):
    parts = re.split(r"^(Thread|Owns|Returns|Orders) +", uncomment(comment),
                     flags=re.M)
    yield "", parts[0]
    yield from zip(parts[1::2], parts[2::2])


checked = 0
for header in sorted(pathlib.Path("include/weir").glob("**/*.h")):
    text = header.read_text()
    is_host = header.parent.name == "host"
    name = "_".join(header.with_suffix("").parts[1:])
    page = sections(f"{sys.argv[1]}/man7/{name}.7")
    heading = words(uncomment(HEADING.search(text)[1]))
    assert heading in page.get("DESCRIPTION", ""), f"{header}: {heading}"
    assert ("STABILITY" in page) == is_host, f"{header}: stability"
    for comment, name in CONTRACT.findall(text):
        page = sections(f"{sys.argv[1]}/man3/{name}.3")
        assert ("STABILITY" in page) == is_host, f"{name}: stability"
        assert f"{name}(" in page["SYNOPSIS"], f"{name}: no synopsis"
        for part, text in contract_parts(comment):
            shown = page.get(TITLES[part], "")
            assert words(text) in shown, f"{name}: {words(text)}\nnot: {shown}"
            checked += 1
assert checked > 300, f"only {checked} parts"
END_OF_PYTHON
}

# Each error, its value and its text are in weir(7).
errors_are_in_the_overview() {
    mandoc -T ascii -O width=200 "$man/man7/weir.7" | sed 's/.\x08//g' |
        tr -s ' \n' ' ' >"$scratch/overview"
    sed -n 's/^    X(\(\w*\), \(-[0-9]*\), "\(.*\)").*/\1 (\2) \3/p' \
        include/weir/error.h >"$scratch/errors"
    [ -s "$scratch/errors" ] && while read -r error; do
        grep -F "$error" "$scratch/overview" || return
    done <"$scratch/errors"
}

# Pages of libweir-net, and only those, say so.
pages_name_their_library() {
    grep -lx 'libweir-net, by pkg-config weir-net\.' "$man"/man3/* |
        sed 's|.*/||; s|\.3$||' | LC_ALL=C sort >"$scratch/net" &&
        diff <(LC_ALL=C sort tools/exports-net.txt) "$scratch/net"
}

# What a page refers to is there.
references_exist() {
    sed -n 's/^\.BR \(weir\w*\) (\([37]\)).*/\1.\2/p' "$man"/man?/* |
        sort -u >"$scratch/references"
    [ -s "$scratch/references" ] && while read -r page; do
        ls "$man/man${page##*.}/$page" || return
    done <"$scratch/references"
}

same_date_same_pages() {
    for copy in 1 2; do
        SOURCE_DATE_EPOCH=1 tools/make-man "$scratch/$copy" || return
    done
    diff -r "$scratch/1" "$scratch/2" &&
        grep '^.TH weir 7 1970-01-01 ' "$scratch/1/man7/weir.7"
}

expect "every function has a page, and every page a function" \
    functions_have_pages
expect "every header has a page, and there is an overview" headers_have_pages
expect "the check of pages finds one that is broken" lint_is_awake
expect "nothing is wrong with the pages" lint "$man"/man3/* "$man"/man7/*
expect "every page says what the header says" pages_say_what_headers_say
expect "the overview has every error" errors_are_in_the_overview
expect "the pages of libweir-net name the library" pages_name_their_library
expect "what the pages refer to is there" references_exist
expect "pages of the same date are the same" same_date_same_pages
finish
