#!/bin/bash
# SPDX-License-Identifier: MIT
# compare -- bench/compare tells what changed from what is noise.
. "$(dirname "$0")/tap.sh"

# row IMPL VALUE MIN MAX [Q1 Q3]: a result as bench/report.c prints it.
row() {
    printf '{"program":"p","workload":"p/w","impl":"%s","metric":"mean",' "$1"
    printf '"unit":"ns","status":"ok","cpu":"c","value":%s' "$2"
    printf ',"min":%s,"max":%s' "$3" "$4"
    [ $# -lt 6 ] || printf ',"q1":%s,"q3":%s' "$5" "$6"
    echo '}'
}

failed_row() {
    row "$1" 1 1 1 | sed 's/"ok"/"failed"/'
}

# status WANTED OLD NEW: what bench/compare prints goes to $scratch/said.
status() {
    bench/compare "${@:4}" "$2" "$3" >"$scratch/said" 2>&1
    got=$?
    cat "$scratch/said"
    [ $got -eq "$1" ]
}

says() {
    grep -Eq -- "$1" "$scratch/said"
}

# under HEADING ROW: the row is listed there, and the heading counts it alone.
under() {
    sed -n "/^$1: 1\$/,/^[a-z]/p" "$scratch/said" | grep -q -- "$2"
}

old=$scratch/old.jsonl
new=$scratch/new.jsonl
{
    row slow 10 9 11
    row fast 10 9 11
    row noisy 10 9 14
    row close 100 99.9 100.1
    row quartiles 10 5 99 9.8 10.2
    row gone 10 9 11
    row broken 10 9 11
    failed_row mended
} >"$old"
{
    row slow 15 14 16
    row fast 5 4 6
    row noisy 13 12 18
    row close 101 100.9 101.1
    row quartiles 11 5 99 10.8 11.2
    row fresh 1 1 1
    failed_row broken
    row mended 10 9 11
} >"$new"

slower_and_faster() {
    status 1 "$old" "$new" && says '^slower: 2$' &&
        says '\+50.0 %  p/w: slow, mean: 10 -> 15 ns' &&
        under faster 'fast, mean: 10 -> 5 ns'
}

quartiles_count() {
    status 1 "$old" "$new" && says '\+10.0 %  p/w: quartiles'
}

noise_is_counted() {
    status 1 "$old" "$new" && says '^within noise: 2$' && ! says 'noisy'
}

noise_is_listed() {
    status 1 "$old" "$new" --all && says '\+30.0 %  p/w: noisy' &&
        says '\+1.0 %  p/w: close'
}

rows_come_and_go() {
    status 1 "$old" "$new" && under missing gone && under new fresh &&
        under 'no longer measured' 'broken, mean: 10 -> failed' &&
        under 'measured again' 'mended, mean: failed -> 10'
}

faster_alone() {
    row one 10 9 11 >"$scratch/a"
    row one 5 4 6 >"$scratch/b"
    status 0 "$scratch/a" "$scratch/b" && says '^faster: 1$'
}

threshold() {
    status 1 "$old" "$new" --threshold 0.5 && says '\+1.0 %  p/w: close'
}

other_machine() {
    row one 10 9 11 | sed 's/"cpu":"c"/"cpu":"d"/' >"$scratch/b"
    status 0 "$scratch/a" "$scratch/b" && says '^careful: cpu differs: c -> d'
}

# bad TEXT MESSAGE: a file with that text is refused, with a message.
bad() {
    printf '%b' "$1" >"$scratch/bad"
    status 2 "$old" "$scratch/bad" && says "^bench/compare: $scratch/bad$2"
}

expect "what is slower is told from what is faster" slower_and_faster
expect "quartiles count where they are known" quartiles_count
expect "what is within noise is counted only" noise_is_counted
expect "--all lists what is within noise" noise_is_listed
expect "rows that come, go, break and mend are listed" rows_come_and_go
expect "the exit status is 0 when nothing is slower" faster_alone
expect "--threshold is the least change" threshold
expect "another machine is named" other_machine
expect "the same file twice is within noise" status 0 "$old" "$old"
expect "a file that is not there is refused" \
    status 2 "$old" "$scratch/nothing"
expect "a file without results is refused" bad '' ': no results'
expect "a line that is not JSON is refused" bad 'x\n' ':1: '
expect "a line that is no object is refused" bad '3\n' ':1: not a JSON object'
expect "a row without its value is refused" \
    bad "$(row one 1 1 1)\n$(row two 1 1 1 | sed 's/"value":1,//')\n" \
    ':2: no "value"'
expect "a row that comes twice is refused" \
    bad "$(row one 1 1 1)\n$(row one 1 1 1)\n" ': twice: p/w, one, mean'
expect "one file alone is a mistake" bash -c '! bench/compare x 2>/dev/null'
expect "--help explains" bash -c 'bench/compare --help | grep -q "is slower"'
finish
