#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Explore the programs in test/explore/javascript; prints TAP.

    test/explore/javascript.py [--build DIR] [NAME...]

Each program runs as it is, and with BROKEN=1 in the environment, unless its
comment has no such line:

    // broken: deadlock|lost wake-up
    // correct: nothing found
    // options: --executions=100

Without options that say so, "nothing found" holds for the executions that were
tried; with --exhaustive, every schedule must have been covered.  A failing
schedule is replayed, and must fail in the same way.  With WEIR_BRIEF in the environment, as in
`make test`, correct programs run a quarter of the executions, and of the programs every
third one is left out; `make verify` runs all of them.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "test/explore/javascript"
SECONDS = 300  # a search that takes longer hangs


def fields(source):
    return dict(re.findall(r"^// (correct|broken|options): (.*)$",
                           source.read_text(), re.MULTILINE))


def explore(build, options, source, variant):
    done = subprocess.run([build / "weir", "explore", "--quiet", *options,
                           source], capture_output=True, text=True,
                          timeout=SECONDS,
                          env={**os.environ,
                               "BROKEN": "1" if variant == "broken" else "0"})
    return done.returncode, done.stdout + done.stderr


def verdict(output):
    return output.split("\n")[0].split(":")[0]


def check(build, options, source, variant, expected):
    status, output = explore(build, options, source, variant)
    statistics = next((line for line in output.split("\n")
                       if " executions, " in line), "")
    if verdict(output) not in expected.split("|"):
        return f"expected: {expected}\n{output}", statistics
    if status != (0 if expected == "nothing found" else 1):
        return f"exit status {status}\n{output}", statistics
    if expected == "nothing found":
        if "--exhaustive" in options and "\ncovered: every" not in output:
            return f"not every schedule\n{output}", statistics
        return None, statistics
    replay = re.search(r"^replay: (--replay=\S+)$", output, re.MULTILINE)[1]
    _, again = explore(build, [replay], source, variant)
    if output.split("\nreplay:")[0] not in again:
        return f"the replay differs:\n{output}\n{again}", statistics
    return None, statistics


def limit(options, variant):
    """A broken program runs until it fails; a correct one not as long in `make
    test`."""
    if variant == "broken":
        return [re.sub(r"--executions=\d+", "--executions=1000", option)
                for option in options]
    if "WEIR_BRIEF" not in os.environ:
        return options
    return [re.sub(r"--executions=(\d+)",
                   lambda m: f"--executions={max(10, int(m[1]) // 4)}", option)
            for option in options]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    count = failures = 0
    for number, source in enumerate(sorted(FOLDER.glob("*.js"))):
        if arguments.names and source.stem not in arguments.names:
            continue
        if not arguments.names and "WEIR_BRIEF" in os.environ and number % 3 == 0:
            continue
        known = {"correct": "nothing found", **fields(source)}
        for variant in ("correct", "broken"):
            if variant not in known:
                continue
            count += 1
            options = limit(known.get("options", "").split(), variant)
            wrong, statistics = check(arguments.build, options, source, variant,
                                      known[variant])
            print(f"{'not ok' if wrong else 'ok'} {count} - {source.name}, "
                  f"{variant}: {known[variant]}")
            print(f"#   {statistics}")
            if wrong:
                failures += 1
                print("\n".join(f"# {line}" for line in wrong.split("\n")))
            sys.stdout.flush()
    print(f"1..{count}")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
