# SPDX-License-Identifier: MIT
"""docs/BENCHMARKS.md, one page, and the full tables, from the results."""

import os

import charts
import results
import targets
from results import plain, unit

HEAD = """# Benchmarks

Written by `make bench`; do not edit.  To measure again, on an idle machine with
at least two cores:

    make bench

| | |
|---|---|
| processor | {cpu}, {cores} cores |
| kernel | {kernel} |
| compiler | {compiler} |
| peers | {peers}; linked statically, as weir is |
| commit | {commit} |
| date | {date}{quick} |

Figures are medians.  The contestants of a workload ran in turns, so compare
only within a line.  `bench/run --tables` prints every contestant and metric,
with the spread and the number of noisy turns (`bench/bench.h` defines noise);
`bench/compare docs/bench/results.jsonl build/bench/results.jsonl` compares a new
run with this one.  The comments in `bench/` and `bench/peers/` say what each
contestant does.
"""
FIGURES = """
## Figures

The floor is the same work without a library: the dashed red line.  A bar with
"…" continues beyond the edge.

{pictures}

| workload | one operation | weir | floor | fastest other |
|---|---|---|---|---|
{lines}
"""


def distinct(rows, key):
    return ", ".join(dict.fromkeys(str(row[key]).strip() for row in rows
                                   if str(row.get(key, "")).strip()))


def figure(row):
    """A contestant in the page's table."""
    if row is None:
        return ""
    value = f"{plain(row['value'])} {unit(row)}" if row["status"] == "ok" \
        else row["status"]
    return value if row["impl"] == "weir" else f"{value}, {row['impl']}"


def line(rows):
    """A workload in the page's table: its first metric."""
    metric = rows[0]["metric"]
    rows = [row for row in rows if row["metric"] == metric]
    weir = next((row for row in rows if row["impl"].startswith("weir")), None)
    floor = rows[0] if charts.colour(rows[0]) == charts.INK else None
    others = [row for row in rows if row["status"] == "ok" and row is not floor
              and not row["impl"].startswith(("weir", "bare", "spin"))]
    best = min(others, key=lambda row: row["value"], default=None)
    name = rows[0]["workload"] + (f", {metric}" if metric != "mean" else "")
    return (f"| {name} | {rows[0]['operation']} | {figure(weir)} | "
            f"{figure(floor)} | {figure(best)} |")


def by_workload(rows):
    return [[row for row in rows if row["workload"] == name] for name in
            dict.fromkeys(row["workload"] for row in rows)]


def write(rows, path):
    """The page, and beside it in bench/ its pictures and the results."""
    drawn = charts.draw(rows, path.parent / "bench")
    results.write(rows, path.parent / "bench" / "results.jsonl")
    page = HEAD.format(
        quick=", measured with --quick" if any(row["quick"] for row in rows)
        else "", cores=os.cpu_count(), peers=distinct(rows, "peer"),
        **{key: distinct(rows, key) for key in
           ("cpu", "kernel", "compiler", "commit", "date")})
    page += "\n" + targets.tables(rows) + "\n" + FIGURES.format(
        pictures="\n".join(f"![{name}](bench/{name}.svg)" for name in drawn),
        lines="\n".join(map(line, by_workload(rows))))
    path.write_text(page)
    return drawn


# ---- the full tables ----

def spread(row):
    if row is None:
        return ""
    if row["status"] != "ok":
        return row["status"]
    return (f"{plain(row['value'])} "
            f"[{plain(row['min'])} – {plain(row['max'])}]")


def table(rows):
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
        noise = f"{mine['repeated']}/{mine['noisy']}" \
            if mine["status"] == "ok" else ""
        cells = [spread(cell.get((impl, m))) for m in metrics]
        lines.append(f"| {impl} | {' | '.join(cells)} | {ratio} | {noise} |")
    return lines


def tables(rows):
    """Every workload, contestant and metric, with what misses its target."""
    lines = []
    for mine in by_workload(rows):
        name, operation = mine[0]["workload"], mine[0]["operation"]
        lines += [f"## {name}", "", f"One operation: {operation}.", "",
                  *table(mine), *targets.shortfalls(rows, name), ""]
    return "\n".join(lines)
