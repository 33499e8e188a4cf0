#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what small JavaScript programs can come to, with and without reduction; prints TAP.

    test/explore/javascript-reduction.py [--build DIR] [--seed N] [--programs N]

The programs are made up.  The main thread and a worker make a few operations on three
words, whose results they note.  An exhaustive search must find the same set of outcomes
with reduction and without it, and cover every schedule.  With WEIR_BRIEF in the
environment, as in `make test`, there are fewer programs.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 900  # a search that takes longer hangs

PROGRAM = """'use strict';
const { Worker, isMainThread, workerData, parentPort } = require('node:worker_threads');
const { reachable, invariant } = require('weir:explore');
const X = 0, Y = 1, Z = 2, NOTES = 3; // notes are plain, and read after the end
let view;
function note(thread, index, value) {
    view[NOTES + 4 * thread + index] = value;
}
if (isMainThread) {
    view = new Int32Array(new SharedArrayBuffer(64));
    const worker = new Worker(__filename, { workerData: view });
    %(before)s
    worker.on('exit', () => reachable(Array.from(view).join(' ')));
%(main)s
} else {
    view = workerData;
%(worker)s
}
"""


def operation(draw, thread):
    word = draw.choice("XXXXYZ")
    value = draw.randint(1, 100) + 100 * thread
    return draw.choice([
        f"Atomics.load(view, {word})",
        f"Atomics.store(view, {word}, {value})",
        f"Atomics.add(view, {word}, {value})",
        f"Atomics.exchange(view, {word}, {value})",
        f"Atomics.exchange(view, {word}, {value})",
        f"Atomics.compareExchange(view, {word}, 0, {value})",
    ] + [f"Atomics.notify(view, {word})"] * (draw.random() < 0.2))


def lines(draw, thread, count):
    return "\n".join(f"    note({thread}, {index}, {operation(draw, thread)});"
                     for index in range(count))


def program(seed):
    draw = random.Random(seed)
    before = draw.choice([
        "", "", "", "invariant('any', () => view[X] + view[Y] + view[Z] < 1e6);"])
    return PROGRAM % {"before": before, "main": lines(draw, 0, 4),
                      "worker": lines(draw, 1, draw.randint(3, 4))}


def search(build, file, *options):
    done = subprocess.run([build / "weir", "explore", "--quiet", "--exhaustive", *options,
                           file], capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0 or "\ncovered: every schedule\n" not in done.stdout:
        raise AssertionError(done.stdout + done.stderr)
    outcomes = set(re.findall(r"^reached: (.*)$", done.stdout, re.MULTILINE))
    return outcomes, int(re.search(r"^(\d+) executions", done.stdout, re.MULTILINE)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    is_brief = "WEIR_BRIEF" in os.environ
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=6 if is_brief else 40)
    arguments = parser.parse_args()
    failures = saved = 0
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "program.js"
        for number in range(arguments.programs):
            seed = arguments.seed + number
            file.write_text(program(seed))
            try:
                reduced, few = search(arguments.build, file)
                complete, all_of_them = search(arguments.build, file, "--no-reduction")
                wrong = "" if reduced == complete else f"only one has {reduced ^ complete}"
                saved += all_of_them - few
            except AssertionError as error:
                wrong = str(error)
            print(f"{'not ok' if wrong else 'ok'} {number + 1} - program {seed} has the same "
                  "outcomes with reduction")
            if wrong:
                failures += 1
                print("\n".join(f"# {line}" for line in (wrong + file.read_text()).split("\n")))
            else:
                print(f"#   {len(complete)} outcomes, {few} executions instead of {all_of_them}")
            sys.stdout.flush()
    print(f"{'ok' if saved > 0 else 'not ok'} {arguments.programs + 1} - reduction saves "
          "executions")
    print(f"1..{arguments.programs + 1}")
    return 1 if failures or saved <= 0 else 0


if __name__ == "__main__":
    sys.exit(main())
