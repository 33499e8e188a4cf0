#!/bin/bash
# SPDX-License-Identifier: MIT
# document -- bench/run makes the document, its pictures and the full tables
# from made-up results.
. "$(dirname "$0")/tap.sh"

mkdir -p "$scratch/build/bench"
results=$scratch/build/bench/results.jsonl
page=$scratch/docs/page.md

# row WORKLOAD IMPL METRIC UNIT VALUE [MORE]
row() {
    printf '{"program":"%s","workload":"%s","impl":"%s",' "${1%%/*}" "$1" "$2"
    printf '"metric":"%s","unit":"%s","value":%s,' "$3" "$4" "$5"
    printf '"min":%s,"max":%s,"q1":%s,"q3":%s,' "$5" "$5" "$5" "$5"
    printf '"status":"ok","runs":7,"repeated":0,"noisy":0,"quick":false,'
    printf '"operation":"one","commit":"c","compiler":"g","cpu":"x",'
    printf '"kernel":"k","date":"d"%s}\n' "${6-}"
}

uv=',"peer":"libuv 1.44"'
{
    for size in 1 4 100; do
        producers=submit/$size-producer$([ $size = 1 ] || echo s)
        row $producers "bare futex, batch queue" mean ns 31
        row $producers "weir, post" mean ns 8
        row $producers "libuv, batch queue" mean ns 24 "$uv"
    done
    for size in 1k 100k 1M; do
        for metric in insert cancel fire; do
            row timer/$size weir $metric ns 50
            row timer/$size libuv $metric ns 200 "$uv"
        done
    done
    row wake/latency-1-core "bare futex" p50 us 3
    row wake/latency-1-core "bare futex" p99 us 9
    row wake/latency-1-core weir p50 us 3.1
    row wake/latency-1-core weir p99 us 9
    for metric in mean cpu; do
        row net/handshake-ecdsa nginx $metric us 900 ',"peer":"nginx 1"'
    done
    row net/handshake-ecdsa weir mean us 1200
    row net/handshake-ecdsa weir cpu us 900
    row pool/fib-32 "a \\\"strange\\\" <name>" mean ns 7
    row pool/fib-32 far mean ns 700000
    row live/submit "not observed" cpu ns 100
    row live/submit "weir, both" cpu ns 112
    row live/idle "weir, both" wake-ups "in 10 s" 0
    row pool/fib-32 farther mean ns 0 | sed 's/"ok"/"absent"/'
} >"$results"

write() {
    bench/run --write --build "$scratch/build" --output "$page"
}

page_says() {
    grep -qF -- "$1" "$page"
}

tables_say() {
    bench/run --tables --build "$scratch/build" | grep -qF -- "$1"
}

# A row that misses its target says so twice: in the list, and at its table.
marks_what_falls_short() {
    page_says '| ≤ 0.2× | 0.25× | **not met**: ' &&
        tables_say 'Falls short: insert, to libuv is 0.25×, must be ≤ 0.2×.' &&
        page_says '(libuv, batch queue) | ≤ 0.6× | 0.333× | met |'
}

pictures() {
    for file in submit timer pool; do
        shows $file '</svg>' && page_says "(bench/$file.svg)" || return 1
    done
    ! page_says '(bench/js.svg)' && ! [ -e "$scratch/docs/bench/js.svg" ]
}

# shows PICTURE TEXT
shows() {
    grep -q -- "$2" "$scratch/docs/bench/$1.svg"
}

well_formed() {
    python3 -c 'import sys, xml.etree.ElementTree as tree
for path in sys.argv[1:]: tree.parse(path)' "$scratch"/docs/bench/*.svg
}

# What the document keeps can be compared with the next run.
keeps_the_results() {
    kept=$scratch/docs/bench/results.jsonl
    [ "$(wc -l <"$kept")" -lt "$(wc -l <"$results")" ] &&
        bench/compare --all "$kept" "$results" >"$scratch/said" &&
        grep -q "^within noise: $(wc -l <"$results")\$" "$scratch/said"
}

refuses() {
    echo "$1" >"$results"
    ! write 2>"$scratch/said" && grep -qF "results.jsonl:1: " "$scratch/said"
}

expect "the document is written" write
expect "targets that are missed are marked, with the reason" \
    marks_what_falls_short
expect "a figure that is not judged stands beside one that is" page_says \
    '| ≥ 0.9× | 1× | met; by elapsed time, which is less steady and not judged, 0.75× |'
expect "a target can be what a row takes more than another one" page_says \
    'less off | ≤ 20 ns | 12 ns | met |'
expect "a figure can be 0" page_says '| ≤ 0 in 10 s | 0 in 10 s | met |'
expect "a workload is a line: weir, the floor, the fastest other" page_says \
    '| 8 ns, weir, post | 31 ns, bare futex, batch queue | 24 ns, libuv, batch'
expect "the tables show each metric" \
    tables_say '| | p50, µs | p99, µs | p50, × the first |'
expect "an absent contestant is a row" tables_say '| farther | absent |'
expect "a program that was measured has its picture" pictures
expect "pictures are well-formed" well_formed
expect "bars name their contestants" shows pool 'strange'
expect "a bar that is cut says so" shows pool '… 700000 ns'
expect "bars have the floor as a dashed line" \
    shows submit 'stroke="#d1242f" stroke-dasharray'
expect "the results are kept, in less space" keeps_the_results
expect "a broken line of results is named" refuses '{"program": 1}'
finish
