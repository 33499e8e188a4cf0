# SPDX-License-Identifier: MIT
"""docs/BENCHMARKS.md, made from the results."""

import os

import charts
import targets
from results import plain, unit


def spread(row):
    if row is None:
        return ""
    if row["status"] != "ok":
        return row["status"]
    return (f"{plain(row['value'])} "
            f"[{plain(row['min'])} – {plain(row['max'])}]")


def noise(row):
    return f"{row['repeated']}/{row['noisy']}" if row["status"] == "ok" else ""


def workload_table(rows):
    """One row for each contestant, one column for each metric."""
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    impls = list(dict.fromkeys(row["impl"] for row in rows))
    cell = {(row["impl"], row["metric"]): row for row in rows}
    head = [f"{m}, {unit(cell[impls[0], m])}" for m in metrics]
    compared = "× the first" if len(metrics) == 1 else \
        f"{metrics[0]}, × the first"
    lines = ["| | " + " | ".join(head) + f" | {compared} | noisy turns |",
             "|---" * (len(metrics) + 3) + "|"]
    for impl in impls:
        first, mine = cell[impls[0], metrics[0]], cell[impl, metrics[0]]
        ratio = f"{mine['value'] / first['value']:.2f}" \
            if first.get("value") and mine.get("value") else ""
        cells = [spread(cell.get((impl, m))) for m in metrics]
        lines.append(f"| {impl} | {' | '.join(cells)} | {ratio} "
                     f"| {noise(mine)} |")
    return "\n".join(lines)


def distinct(rows, key):
    return ", ".join(dict.fromkeys(str(row[key]).strip() for row in rows
                                   if str(row.get(key, "")).strip()))


def head(rows):
    runs = sorted({row["runs"] for row in rows if row["status"] == "ok"})
    quick = any(row["quick"] for row in rows)
    return f"""# Benchmarks

Written by `make bench`; do not edit.  To make it again, on an idle
machine with two cores or more:

    make bench

| | |
|---|---|
| processor | {distinct(rows, 'cpu')}, {os.cpu_count()} cores |
| kernel | {distinct(rows, 'kernel')} |
| compiler | {distinct(rows, 'compiler')} |
| peers | {distinct([row for row in rows if not row['impl'].startswith('weir')], 'peer')}; from static libraries, as weir |
| commit | {distinct(rows, 'commit')} |
| date | {distinct(rows, 'date')} |
{'| | **made with --quick: less exact** |' if quick else ''}

Figures are medians of {' or '.join(map(str, runs))} turns, with the least and
the greatest.  The contestants of a table ran in turns, so compare within a
table only.  "Noisy turns": thrown away and repeated / kept after too many of
them (`bench/bench.h` says what noise is).  "absent": that library is not
installed, or cannot do that.  What each contestant does, and why that is its
best: the comments in `bench/` and `bench/peers/`.

In the pictures the dashed red line is the floor: the same work without a
library.  Thin lines at the ends of bars show the middle half of the turns; a
bar with "…" goes on beyond the edge.

{targets.tables(rows)}
"""


def workload_part(name, rows):
    mine = [row for row in rows if row["workload"] == name]
    short = targets.shortfalls(rows, name)
    table = workload_table([row for row in mine if "detail" not in row])
    return "\n".join([f"### {name}\n\nOne operation: {mine[0]['operation']}.\n",
                      table, *(f"\n{line}" for line in short), ""])


def write(rows, path):
    """The document, and the pictures in the directory bench beside it."""
    drawn = charts.draw(rows, path.parent / "bench")
    parts = [head(rows)]
    for program in dict.fromkeys(row["program"] for row in rows):
        mine = [row for row in rows if row["program"] == program]
        parts.append(f"## {program}\n")
        parts += [f"![{file.removesuffix('.svg')}](bench/{file})\n"
                  for file in drawn.get(program, [])]
        parts += [workload_part(name, rows) for name in
                  dict.fromkeys(row["workload"] for row in mine)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts))
    return drawn
