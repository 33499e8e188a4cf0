# SPDX-License-Identifier: MIT
"""Pictures of the results, in SVG: a bar for each contestant of a few chosen
workloads, with the floor as a dashed line.

There is no background, and all colours have a contrast of 3.5 and more to
white and to GitHub's dark grey, so one picture serves both.
"""

import re
from xml.sax.saxutils import escape

from results import plain, unit

WIDTH, LEFT, RIGHT, STEP, HEADING = 720, 230, 110, 20, 34
INK, FLOOR = "#737d88", "#d1242f"
COLOURS = {"weir": "#2f81f7", "libuv": "#c4620f", "libev": "#2a9440",
           "libevent": "#9a63e8", "GLib": "#d6409f", "Asio": "#0f8f96",
           "liburcu": "#a87000", "Concurrency": "#0f8f96",
           "TBB": "#0f8f96", "OpenMP": "#a87000", "V8": "#2a9440",
           "Node": "#2a9440", "nginx": "#2a9440", "h2o": "#9a63e8",
           "redis": "#d6409f"}
# picture: (workload, metric) of each panel
PICTURES = {
    "submit": [("submit/1-producer", "mean"), ("submit/4-producers", "mean"),
               ("submit/100-producers", "mean")],
    "timer": [("timer/1M", "insert"), ("timer/1M", "cancel"),
              ("timer/1M", "fire")],
    "pool": [("pool/fib-32", "mean"), ("pool/empty-1M", "mean"),
             ("pool/trip-1M", "mean")],
    "js": [("js/start", "wall"), ("js/worker", "first"),
           ("js/message", "one way"), ("js/timeout", "mean")],
    "net": [("net/echo-1B", "cpu"), ("net/http-hello", "mean"),
            ("net/https-hello", "mean"), ("net/websocket", "mean")],
}
# Variants of a contestant, which would hide the others.
LEFT_OUT = re.compile(r"malloc|once|invoke|metrics|::post")


def colour(row):
    return COLOURS.get(re.match(r"\w+", row["impl"])[0], INK)


def cut_at(values):
    """Where the axis ends: much longer bars would make the others invisible,
    so they are cut, and say so."""
    limit = 5 * sorted(values)[(len(values) - 1) // 2]
    return limit if max(values) > 1.5 * limit > 0 else max(values) or 1


def text(x, y, words, more=""):
    return f'<text x="{x:.0f}" y="{y}"{more}>{escape(words)}</text>'


def bar(y, row, end):
    """One contestant, on one line."""
    long = min(row["value"], end) / end * (WIDTH - LEFT - RIGHT)
    shown = ("… " if row["value"] > end else "") + \
        f"{plain(row['value'])} {unit(row)}"
    return (text(LEFT - 8, y + 13, row["impl"], ' text-anchor="end"') +
            f'<rect x="{LEFT}" y="{y + 2}" width="{max(long, 1):.0f}" '
            f'height="15" fill="{colour(row)}"/>' +
            text(LEFT + long + 8, y + 13, shown))


def panel(top, heading, rows):
    end = cut_at([row["value"] for row in rows])
    lines = [text(8, top + 20, heading, ' font-size="14"')]
    lines += [bar(top + HEADING + STEP * place, row, end)
              for place, row in enumerate(rows)]
    floor = rows[0]["value"]
    if colour(rows[0]) == INK and floor <= end:
        x = LEFT + floor / end * (WIDTH - LEFT - RIGHT)
        lines.append(f'<path d="M{x:.0f} {top + HEADING}v{STEP * len(rows)}" '
                     f'stroke="{FLOOR}" stroke-dasharray="4"/>')
    return lines


def picture(panels, rows):
    """The SVG of the panels below each other; None without results."""
    lines, top = [], 0
    for workload, metric in panels:
        mine = [row for row in rows if row["status"] == "ok"
                and (row["workload"], row["metric"]) == (workload, metric)
                and not LEFT_OUT.search(row["impl"])]
        if mine:
            heading = workload if metric == "mean" else f"{workload}, {metric}"
            lines += panel(top, heading, mine)
            top += HEADING + STEP * len(mine) + 8
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{top}" font-family="sans-serif" font-size="12" '
        f'fill="{INK}">', *lines, "</svg>", ""]) if lines else None


def draw(rows, directory):
    """Replace the pictures in the directory.  Return their names."""
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.svg"):
        old.unlink()
    drawn = {name: picture(panels, rows) for name, panels in PICTURES.items()}
    for name, svg in drawn.items():
        if svg:
            (directory / f"{name}.svg").write_text(svg)
    return [name for name, svg in drawn.items() if svg]
