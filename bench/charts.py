# SPDX-License-Identifier: MIT
"""Pictures of the results: SVG, by gnuplot.

Each program of bench/ gets one picture, or a few, of panels below each other:

    bars          a bar for each contestant, the floor as a dashed line
    against size  workloads that differ in size only (SIZES): a line for each
                  contestant
    percentiles   workloads whose operations were recorded one by one

There is no background, and all colours have a contrast of 3.5 and more to
white and to GitHub's dark grey, so one picture serves both.
"""

import math
import re
import shutil
import subprocess

from results import plain, unit

WIDTH = 860
BAR_MARGINS, CURVE_MARGINS = (270, 120), (60, 280)  # left, right
INK, FAINT = "#737d88", "#c0737d88"  # of gnuplot: aarrggbb, 00 is opaque
FLOOR, SPREAD = "#d1242f", "#59636e"
COLOURS = {"weir": "#2f81f7", "libuv": "#c4620f", "libev": "#2a9440",
           "libevent": "#9a63e8", "GLib": "#d6409f", "Asio": "#0f8f96",
           "liburcu": "#a87000", "Concurrency": "#0f8f96",
           "TBB": "#0f8f96", "OpenMP": "#a87000", "V8": "#2a9440"}

# Programs whose workloads are one workload in several sizes: what is counted,
# the metrics to draw, and whom to leave out lest the lines hide each other.
SIZES = {
    "submit": ("producers", ["mean"], "malloc|once|invoke|metrics|::post"),
    "timer": ("timers", ["insert", "cancel", "fire"], None),
    "pairs": ("socket pairs", ["mean"], None),
    "shutdown": ("tasks queued", ["end"], None),
}
# Bars of chosen workloads and metrics; programs that are not here get the first
# metric of each workload.
BARS = {
    "submit": [("submit/1-producer", "mean"), ("submit/4-producers", "mean"),
               ("submit/100-producers", "mean")],
    "timer": [("timer/1M", "insert"), ("timer/1M", "cancel"),
              ("timer/1M", "fire"), ("timer/lateness", "p50")],
    "pairs": [("pairs/100", "mean"), ("pairs/1000", "mean")],
    "start": [("start/loop", "new"), ("start/loop", "first"),
              ("start/loop", "free"), ("start/pool", "all")],
}
SIZE = r"/(\d+)([kM]?)\b"
PERCENTILES = ["p1", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "max"]
HEAD = f"""set encoding utf8
set border 0 lc rgb "{INK}"
set tics scale 0 textcolor rgb "{INK}"
set key textcolor rgb "{INK}" noenhanced
set style fill solid
set multiplot
"""


def library(row):
    return re.match(r"(?:spin: )?(\w+)", row["impl"])[1]


def colour(row):
    return COLOURS.get(library(row), INK)


def is_floor(row):
    return library(row) not in COLOURS


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---- panels: (height, margins, title, gnuplot commands) ----

def data(name, lines):
    return f"${name} << EOD\n" + "\n".join(lines) + "\nEOD\n"


def cut_at(values):
    """Where the axis ends: bars of another league would make all others
    invisible, so they are cut, and say so."""
    limit = 5 * sorted(values)[(len(values) - 1) // 2]
    return limit if max(values) > 1.5 * limit > 0 else max(values) or 1


def bars(workload, metric, rows):
    end = cut_at([row["value"] for row in rows])
    lines, tics = [], []
    for place, row in enumerate(rows):
        shown = plain(row["value"]) + " " + unit(row)
        if row["value"] > end:
            shown = "… " + shown
        low, high = (min(row.get(key, row["value"]), end)
                     for key in ("q1", "q3"))
        lines.append(f"{place} {min(row['value'], end)} {low} {high} "
                     f"0x{colour(row)[1:]} {max(min(row['value'], end), high)} "
                     f"{quote(shown)}")
        tics.append(f"{quote(row['impl'])} {place}")
    text = data("bars", lines)
    text += f"set ytics ({', '.join(tics)}) noenhanced\n"
    text += f"set yrange [{len(rows) - 0.4}:-0.6]\nset xrange [0:{end}]\n"
    text += "unset xtics\nunset key\n"
    if is_floor(rows[0]) and rows[0]["value"] <= end:
        text += (f"set arrow 1 from {rows[0]['value']}, graph 0 to "
                 f"{rows[0]['value']}, graph 1 nohead front dt 2 lw 1.5 "
                 f'lc rgb "{FLOOR}"\n')
    text += ("plot $bars using 2:1:(0):2:($1-0.36):($1+0.36):5 with boxxyerror "
             "lc rgb variable, $bars using 3:1:($4-$3):(0) with vectors nohead "
             f'lw 2 lc rgb "{SPREAD}", $bars using 6:1:7 with labels left '
             f'offset 0.8,0 noenhanced textcolor rgb "{INK}"\n')
    heading = workload if metric == "mean" else f"{workload}, {metric}"
    return 72 + 22 * len(rows), BAR_MARGINS, heading, text


def steps(low, high):
    """1, 2, 5, 10, 20, ... for an axis; 1, 10, 100 ... for a long one."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    marks = [digit * 10.0 ** decade for decade in decades
             for digit in ((1, 2, 5) if high / low < 1000 else (1,))]
    marks.append(10.0 ** decades.stop)
    return ", ".join(f'"{mark:,.10g}" {mark}' for mark in marks)


def curves(heading, lines_of, xtics, axis):
    """lines_of: [(a row of the contestant, its points (x, y)), ...]"""
    xs, ys = zip(*(point for _, points in lines_of for point in points))
    low, high = min(ys) / 1.15, max(ys) * 1.15
    text = f"set xtics ({xtics})\nset ytics ({steps(low, high)})\n{axis}\n"
    text += f"set xrange [{min(xs)}:{max(xs)}]\nset yrange [{low}:{high}]\n"
    text += f'set grid lc rgb "{FAINT}" lt 1\nset logscale y\n'
    text += (f"set key at screen {1 - (CURVE_MARGINS[1] - 12) / WIDTH}, "
             "graph 1 left top Left reverse samplen 2\n")
    parts, seen = [], []
    for number, (row, points) in enumerate(lines_of):
        text += data(f"d{number}", (f"{x} {y}" for x, y in points))
        kin = "floor" if is_floor(row) else library(row)
        dash = 1 + seen.count(kin) + is_floor(row)
        seen.append(kin)
        width = 3 if library(row) == "weir" else 1.6
        parts.append(f"$d{number} using 1:2 with linespoints pt 7 ps 0.5 "
                     f'lw {width} dt {dash} lc rgb "{colour(row)}" '
                     f"title {quote(row['impl'])}")
    return 350, CURVE_MARGINS, heading, text + "plot " + ", ".join(parts) + "\n"


def short(size):
    for scale, letter in ((1000000, "M"), (1000, "k")):
        if size >= scale and size % scale == 0:
            return f"{size // scale}{letter}"
    return str(size)


def size_of(workload):
    number, scale = re.search(SIZE, workload).groups()
    return int(number) * {"": 1, "k": 1000, "M": 1000000}[scale]


def against_size(program, metric, rows):
    what, _, left_out = SIZES[program]
    rows = [row for row in rows if row["metric"] == metric
            and re.search(SIZE, row["workload"])
            and not (left_out and re.search(left_out, row["impl"]))]
    sizes = sorted({size_of(row["workload"]) for row in rows})
    if len(sizes) < 2:
        return None
    shown = {size for size, after in zip(sizes, [*sizes[1:], math.inf])
             if after >= 1.5 * size}  # else their names would touch
    tics = ", ".join(f"{quote(short(size) if size in shown else '')} "
                     f"{max(size, 1)}" for size in sizes)
    lines = []
    for impl in dict.fromkeys(row["impl"] for row in rows):
        mine = sorted((row for row in rows if row["impl"] == impl),
                      key=lambda row: size_of(row["workload"]))
        lines.append((mine[0], [(max(size_of(row["workload"]), 1),
                                 max(row["value"], 1e-3)) for row in mine]))
    metric = "" if metric == "mean" else f", {metric}"
    return curves(f"{program}{metric}: {unit(rows[0])} against {what}", lines,
                  tics, "set logscale x")


def percentiles(workload, rows):
    lines = []
    for impl in dict.fromkeys(row["impl"] for row in rows):
        mine = {row["metric"]: row for row in rows if row["impl"] == impl}
        lines.append((mine["p50"], [(place, max(mine[p]["value"], 1e-3)) for
                                    place, p in enumerate(PERCENTILES)
                                    if p in mine]))
    tics = ", ".join(f'"{p}" {place}' for place, p in enumerate(PERCENTILES))
    return curves(f"{workload}: {unit(rows[0])} at each percentile", lines,
                  tics, "unset logscale x")


# ---- pictures ----

def script(panels):
    """All panels below each other."""
    height = sum(panel[0] for panel in panels) + 20
    text = (f'set terminal svg size {WIDTH},{height} font "sans-serif,13" '
            f"noenhanced\n" + HEAD)
    above = 0
    for panel_height, (left, right), heading, commands in panels:
        top, bottom = above + 42, above + panel_height - 30
        text += (f"unset arrow\nunset grid\nunset label\nunset logscale\n"
                 f"set lmargin at screen {left / WIDTH:.4f}\n"
                 f"set rmargin at screen {1 - right / WIDTH:.4f}\n"
                 f"set tmargin at screen {1 - top / height:.4f}\n"
                 f"set bmargin at screen {1 - bottom / height:.4f}\n"
                 f"set label 1 {quote(heading)} at screen {16 / WIDTH:.4f}, "
                 f"screen {1 - (above + 20) / height:.4f} left noenhanced "
                 f'font ",15" textcolor rgb "{INK}"\n{commands}')
        above += panel_height
    return text + "unset multiplot\n"


def panels_of(program, rows):
    """{name of the picture: its panels}"""
    rows = [row for row in rows if row["status"] == "ok"]
    pictures = {program: []}
    of_workload = {}
    for row in rows:
        of_workload.setdefault(row["workload"], []).append(row)
    chosen = BARS.get(program)
    for workload, mine in of_workload.items():
        if any("detail" in row for row in mine):
            pictures.setdefault(f"{program}-percentiles", []).append(
                percentiles(workload, mine))
        elif chosen is None:
            pictures[program].append(bars(
                workload, mine[0]["metric"], [row for row in mine if row[
                    "metric"] == mine[0]["metric"]]))
    for workload, metric in chosen or []:
        mine = [row for row in of_workload.get(workload, [])
                if row["metric"] == metric]
        if mine:
            pictures[program].append(bars(workload, metric, mine))
    if program in SIZES:
        pictures[f"{program}-sizes"] = list(filter(None, (
            against_size(program, metric, rows)
            for metric in SIZES[program][1])))
    return {name: panels for name, panels in pictures.items() if panels}


def draw(rows, directory):
    """Makes the pictures anew.  {program: [file name, ...]}; nothing without
    gnuplot."""
    if shutil.which("gnuplot") is None:
        return {}
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.svg"):
        old.unlink()
    drawn = {}
    for program in dict.fromkeys(row["program"] for row in rows):
        mine = [row for row in rows if row["program"] == program]
        for name, panels in panels_of(program, mine).items():
            svg = subprocess.run(["gnuplot"], input=script(panels), text=True,
                                 stdout=subprocess.PIPE, check=True).stdout
            (directory / f"{name}.svg").write_text(svg)
            drawn.setdefault(program, []).append(f"{name}.svg")
    return drawn
