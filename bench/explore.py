#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Executions of `weir explore` per second of processor time: two workers, ten operations each.

    bench/explore.py [--build DIR] [--executions N] [--runs N]

All processes of an exploration run one after the other, so this is a figure for one core.
Prints the median and the range of several runs, for each mode.
"""
import argparse
import pathlib
import resource
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = {"exhaustive": ["--exhaustive"], "PCT and random walks": []}


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--executions", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    for name, options in MODES.items():
        rates = sorted(
            arguments.executions / processor_seconds(
                [arguments.build / "weir", "explore", "--quiet", *options,
                 f"--executions={arguments.executions}", ROOT / "bench/explore.js"])
            for _ in range(arguments.runs))
        print(f"{name}: {statistics.median(rates):.0f} executions per second "
              f"({rates[0]:.0f} to {rates[-1]:.0f})")


if __name__ == "__main__":
    main()
