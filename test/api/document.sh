#!/bin/bash
# SPDX-License-Identifier: MIT
# document -- bench/run --write makes the document and its pictures from
# made-up results.
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
    row wake/latency-1-core "bare futex" p99 us 9 ',"detail":true'
    row wake/latency-1-core weir p50 us 3.1
    row wake/latency-1-core weir p99 us 9 ',"detail":true'
    row new/a_b "a \\\"strange\\\" name" mean ns 7
    row new/a_b far mean ns 700000
    row new/a_b farther mean ns 0 | sed 's/"ok"/"absent"/'
} >"$results"

write() {
    bench/run --write --build "$scratch/build" --output "$page"
}

page_says() {
    grep -qF -- "$1" "$page"
}

# A row that misses its target says so twice: in the list, and at its table.
marks_what_falls_short() {
    page_says '| ≤ 0.2× | 0.25× | **not met**: ' &&
        page_says 'Falls short: insert, to libuv is 0.25×, must be ≤ 0.2×.' &&
        page_says '(libuv, batch queue) | ≤ 0.6× | 0.333× | met |'
}

pictures() {
    for file in submit submit-sizes timer timer-sizes wake-percentiles new; do
        shows $file '</svg>' && page_says "(bench/$file.svg)" || return 1
    done
}

# shows PICTURE TEXT
shows() {
    grep -q -- "$2" "$scratch/docs/bench/$1.svg"
}

without_gnuplot() {
    python=$(python3 -c 'import sys; print(sys.executable)')
    rm -r "$scratch/docs"
    PATH=$scratch "$python" bench/run --write --build "$scratch/build" \
        --output "$page" | grep -q 'without pictures' &&
        page_says '## submit' && ! page_says '.svg'
}

refuses() {
    echo "$1" >"$results"
    ! write 2>"$scratch/said" && grep -qF "results.jsonl:1: " "$scratch/said"
}

expect "the document is written" write
expect "targets that are missed are marked, with the reason" \
    marks_what_falls_short
expect "percentiles for the pictures are not in the tables" \
    page_says '| | p50, µs | × the first |'
expect "an absent contestant is a row" page_says '| farther | absent |'
if command -v gnuplot >/dev/null; then
    expect "each group has its pictures" pictures
    expect "bars name their contestants" shows new 'strange'
    expect "a bar that is cut says so" shows new '… 700000 ns'
    expect "bars have the floor as a dashed line" \
        shows submit "stroke='rgb(209,  36,  47)'.*dasharray"
    expect "curves name their sizes" shows timer-sizes '100k'
    expect "percentiles are named" shows wake-percentiles 'p99'
    expect "there is no background" \
        shows submit '<rect x="0" y="0".* fill="none"/>'
fi
expect "without gnuplot there is a document without pictures" without_gnuplot
expect "a broken line of results is named" refuses '{"program": 1}'
finish
