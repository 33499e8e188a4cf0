#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Explore each program in test/explore/javascript again and again under one seed: it must
print the same bytes, also under load; prints TAP.

    test/explore/repeat.py [--build DIR] [--times N] [NAME...]

Half of the runs have the machine for themselves, the others share it with a busy process
for each core.  With WEIR_BRIEF in the environment, as in `make test`, a few programs run
four times.
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "test/explore/javascript"
BRIEF = ["atomic-service", "race-port"]
SECONDS = 300  # a search that takes longer hangs


def explore(build, source):
    done = subprocess.run(
        [build / "weir", "explore", "--quiet", "--seed=7", "--executions=25", source],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=SECONDS, env={**os.environ, "BROKEN": "1"})
    return done.stdout


def runs(build, source, count):
    return {explore(build, source) for _ in range(count)}


def runs_under_load(build, source, count):
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(os.cpu_count())]
    try:
        return runs(build, source, count)
    finally:
        for process in load:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    is_brief = "WEIR_BRIEF" in os.environ
    parser.add_argument("--times", type=int, default=4 if is_brief else 20)
    parser.add_argument("names", nargs="*", default=BRIEF if is_brief else [])
    arguments = parser.parse_args()
    sources = [source for source in sorted(FOLDER.glob("*.js"))
               if not arguments.names or source.stem in arguments.names]
    failures = 0
    for number, source in enumerate(sources, 1):
        half = arguments.times // 2
        outputs = (runs(arguments.build, source, arguments.times - half) |
                   runs_under_load(arguments.build, source, half))
        is_same = len(outputs) == 1 and b" executions, " in next(iter(outputs))
        print(f"{'ok' if is_same else 'not ok'} {number} - {source.name} "
              f"prints the same {arguments.times} times")
        if not is_same:
            failures += 1
            print("".join(f"# {line}\n" for text in outputs
                          for line in text.decode().split("\n")))
        sys.stdout.flush()
    print(f"1..{len(sources)}")
    return 1 if failures or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
