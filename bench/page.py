#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure the live page of a program with 10,000 connections and 1,000 loops.

    bench/page.py              about a minute
    bench/page.py --quick      in less time, less exact
    bench/page.py --estimate   no measuring: print the seconds that it takes

page/program   the processor time that the program needs for the page, in percent
               of a core, while Chromium shows it; to the same program while
               nobody looks
page/redraw    the time that the page needs to draw a sample, in ms

bench/net/crowd_weir.c is the program.  `make bench ONLY=page` builds everything and
runs this through bench/run, which keeps the results.  stdout gets one JSON object
for each row and metric; stderr gets a table.
"""
import argparse
import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "bench"), str(ROOT / "test" / "support")]
import machine  # noqa: E402
from chromium import Browser  # noqa: E402

LOOPS, CONNECTIONS = 1000, 10000
# Times of show() are kept by the page itself: drawing is what it does for a sample.
TIMES = """void (window.times = [], window.drawSample = show, show = (sample) => {
    const begin = performance.now();
    drawSample(sample);
    document.body.offsetHeight; // with the layout
    times.push(performance.now() - begin);
})"""


def cpu_ns(pid):
    """Of all threads of a process."""
    total = 0
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
        total += int(path.read_text().split()[0])
    return total


def share(pid, seconds):
    """Percent of a core that the process uses meanwhile."""
    before, begin = cpu_ns(pid), time.monotonic_ns()
    time.sleep(seconds)
    return (cpu_ns(pid) - before) / (time.monotonic_ns() - begin) * 100


class Page:
    """The program, and its page in a browser."""

    def __init__(self, build, folder):
        self.program = subprocess.Popen(
            [build / "bench" / "net.programs" / "crowd_weir", str(LOOPS), str(CONNECTIONS)],
            stdout=subprocess.PIPE, text=True)
        self.url = self.program.stdout.readline().strip()
        if not self.url:
            sys.exit("bench/page.py: the program does not start")
        self.folder, self.browser = folder, None

    def show(self):
        self.browser = Browser(self.folder)
        self.browser.open(self.url)
        self.wait("document.querySelectorAll('.loop').length > 100")
        drawn = self.browser.evaluate("document.getElementById('more-connections').textContent")
        if f"{CONNECTIONS - 50:,}" not in drawn:
            sys.exit(f"bench/page.py: the page shows other connections: {drawn}")
        self.browser.evaluate(TIMES)

    def wait(self, expression):
        self.browser.evaluate(f"""new Promise((resolve) => {{
            const timer = setInterval(() => {{
                if ({expression}) {{ clearInterval(timer); resolve(); }} }}, 50); }})""")

    def redraws(self, count):
        self.wait(f"times.length >= {count}")
        return self.browser.evaluate("times")

    def close(self):
        if self.browser is not None:
            self.browser.close()
        self.program.kill()
        self.program.wait()


def measure(options):
    seconds, rounds = (3, 1) if options.quick else (10, 3)
    with tempfile.TemporaryDirectory(prefix="weir-bench-page.") as folder:
        page = Page(options.build, folder)
        try:
            time.sleep(1)  # what it began is over
            alone = [share(page.program.pid, seconds) for _ in range(rounds)]
            page.show()
            shown = [share(page.program.pid, seconds) for _ in range(rounds)]
            return alone, shown, page.redraws(5 if options.quick else 40)
        finally:
            page.close()


def report(options, workload, operation, impl, metric, unit, values):
    values = sorted(values)
    last = len(values) - 1
    figures = {key: float(f"{value:.4g}") for key, value in (
        ("value", statistics.median(values)), ("min", values[0]), ("max", values[-1]),
        ("q1", values[last // 4]), ("q3", values[last - last // 4]))}
    print(json.dumps({
        "program": "page", "workload": workload, "impl": impl, "status": "ok", "metric": metric,
        "unit": unit, **figures, "runs": len(values), "repeated": 0, "noisy": 0,
        "operation": operation, "quick": options.quick, **machine.describe(options.build)}), flush=True)
    print(f"{workload:14} {impl:22} {figures['value']:8.2f} {unit} "
          f"[{figures['min']:.2f} - {figures['max']:.2f}]", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("workload", nargs="*", help="ignored: there is one program")
    parser.add_argument("--quick", action="store_true", help="less time, less exact")
    parser.add_argument("--list", action="store_true",
                        help="print every workload and row")
    parser.add_argument("--estimate", action="store_true",
                        help="print the seconds that it takes")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    options.build = options.build.resolve()
    what = f"the page of {LOOPS:,} loops and {CONNECTIONS:,} connections"
    rows = [("page/program", what, "weir, nobody looks", "share", "% of a core"),
            ("page/program", what, "weir", "share", "% of a core"),
            ("page/redraw", "draw a sample of them", "weir", "draw", "ms")]
    if options.list:
        for name, _, impl, *_ in rows:
            print(f"{name}: {impl}")
        return 0
    if options.estimate:
        print(12 if options.quick else 85)
        return 0
    if shutil.which("chromium") is None:
        print("bench/page.py: no chromium", file=sys.stderr)
        return 0
    for row, values in zip(rows, measure(options)):
        report(options, *row, values)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("bench/page.py: stopped")
