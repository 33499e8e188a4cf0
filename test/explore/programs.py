#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Explore programs from the literature, each correct and broken, and libraries
of others; prints TAP.

    test/explore/programs.py [--build DIR] [--compiler gcc|clang] [NAME...]

Each program in test/explore/programs is compiled as it is, and with -DBROKEN, by
gcc and by clang.  Its comment says what must come out of both:

    correct: nothing found
    broken: data race
    options: --preemptions=2
    only: gcc
    package: libboost-dev
    flags: -I/usr/include/spa-0.2

Flags may be several lines, and may name sources.  Programs in test/explore/own
explore libweir itself.  Programs in test/explore/others use headers of a Debian package, and are left out
if it is not installed.  "nothing found" also means that every schedule was covered, within the
preemptions that the options name.  "a|b" is one or the other.  A failing
schedule is replayed, and must fail in the same way.  With WEIR_BRIEF in the
environment, as in `make test`, every third program runs, compiled by one of the two;
`make verify` runs all of them.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = [ROOT / "test/explore" / name for name in ("programs", "others", "own")]
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
SECONDS = 300  # a search that takes longer hangs


def fields(source):
    found = {}
    for name, value in re.findall(
            r"^ \* (correct|broken|flags|options|only|package): (.*)$",
            source.read_text(), re.MULTILINE):
        found[name] = f"{found[name]} {value}" if name in found else value
    return found


def compile_program(build, source, compiler, flags, program):
    cc, cxx = COMPILERS[compiler]
    kind, standard = ("cc", "-std=gnu11") if source.suffix == ".c" else \
        ("c++", "-std=c++20")
    subprocess.run([build / "weir-explore", kind, "-O1", standard, *flags,
                    source, "-o", program],
                   check=True, cwd=ROOT,
                   env={**os.environ, "CC": cc, "CXX": cxx})


def explore(program, options):
    done = subprocess.run([program], capture_output=True, text=True,
                          timeout=SECONDS,
                          env={**os.environ, "WEIR_EXPLORE": options})
    return done.returncode, done.stdout + done.stderr


def verdict(output):
    """The finding, which is the first word or words of the report."""
    return output.split("\n")[0].split(":")[0]


def check(program, options, expected):
    """Return what is wrong, or None, and the line of statistics."""
    status, output = explore(program, f"--quiet {options}")
    statistics = next((line for line in output.split("\n")
                       if " executions, " in line), "")
    if verdict(output) not in expected.split("|"):
        return f"expected: {expected}\n{output}", statistics
    if status != (0 if expected == "nothing found" else 1):
        return f"exit status {status}\n{output}", statistics
    if expected == "nothing found":
        if "\ncovered: every schedule" not in output:
            return f"not every schedule\n{output}", statistics
        return None, statistics
    replay = re.search(r"^replay: (--replay=\S+)$", output, re.MULTILINE)[1]
    _, again = explore(program, f"{options} {replay}")
    first = output.split("\nreplay:")[0]
    if first not in again:
        return f"the replay differs:\n{output}\n{again}", statistics
    return None, statistics


def is_installed(package):
    return package is None or subprocess.run(
        ["dpkg-query", "--status", package], capture_output=True
    ).returncode == 0


def choose_compilers(turn, known):
    if "WEIR_BRIEF" not in os.environ or "only" in known:
        return list(COMPILERS)
    return [list(COMPILERS)[turn % 2]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--compiler", choices=COMPILERS)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    sources = sorted(path for folder in FOLDERS for path in folder.iterdir()
                     if path.suffix in (".c", ".cc"))
    if arguments.names:
        sources = [path for path in sources if path.stem in arguments.names]
    elif "WEIR_BRIEF" in os.environ:
        sources = sources[::3]
    count = failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch) / "program"
        for turn, source in enumerate(sources):
            known = fields(source)
            if not is_installed(known.get("package")):
                print(f"# {source.name} is left out: {known['package']} is "
                      "not installed")
                continue
            for compiler in choose_compilers(turn, known):
                if compiler not in known.get("only", compiler) or \
                        arguments.compiler not in (None, compiler):
                    continue
                for variant, flags in [("correct", []),
                                       ("broken", ["-DBROKEN"])]:
                    if variant not in known:
                        continue
                    count += 1
                    try:
                        compile_program(arguments.build, source, compiler,
                                        flags + known.get("flags", "").split(),
                                        program)
                        wrong, statistics = check(
                            program, known.get("options", ""), known[variant])
                    except (subprocess.SubprocessError, TypeError) as error:
                        wrong, statistics = str(error), ""
                    print(f"{'not ok' if wrong else 'ok'} {count} - "
                          f"{source.name}, {variant}, by {compiler}: "
                          f"{known[variant]}")
                    if statistics:
                        print(f"#   {statistics}")
                    if wrong:
                        failures += 1
                        print("\n".join(f"# {line}"
                                        for line in wrong.split("\n")))
                    sys.stdout.flush()
    print(f"1..{count}")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
