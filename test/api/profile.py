#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPU profiles of `weir --cpu-prof`.

    test/api/profile.py [WEIR]

Prints TAP.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WEIR = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/weir")
APP = """
function inner() { for (let i = 0; i < 1e5; i++); }
function outer(count) { while (count-- > 0) inner(); }
outer(50);
setTimeout(function later() { outer(25); }, 20);
"""
results = []


def check(name, is_true, *details):
    results.append(bool(is_true))
    print(f"{'' if is_true else 'not '}ok {len(results)} - {name}")
    if not is_true:
        for detail in details:
            print(f"#   {str(detail)[:2000]}")


def run(scratch, *options):
    return subprocess.run([WEIR, *options, "app.js"], cwd=scratch, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120)


def is_sound(profile):
    """The nodes are a tree, and every sample has a node and a time."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    children = [child for node in nodes.values() for child in node["children"]]
    hits = sum(node["hitCount"] for node in nodes.values())
    return (len(nodes) == len(profile["nodes"]) and
            sorted(children + [1]) == sorted(nodes) and
            set(profile["samples"]) <= set(nodes) and
            len(profile["samples"]) == len(profile["timeDeltas"]) == hits and
            all(delta >= 0 for delta in profile["timeDeltas"]) and
            sum(profile["timeDeltas"]) <=
            profile["endTime"] - profile["startTime"] + len(profile["samples"]))


with tempfile.TemporaryDirectory() as directory:
    scratch = pathlib.Path(directory)
    (scratch / "app.js").write_text(APP)
    done = run(scratch, "--cpu-prof", "--cpu-prof-name=a.cpuprofile")
    check("--cpu-prof writes a file", done.returncode == 0 and
          done.stderr == "", done)
    profile = json.loads((scratch / "a.cpuprofile").read_text())
    check("the profile is sound", is_sound(profile), profile)
    frames = {(node["callFrame"]["functionName"],
               node["callFrame"]["lineNumber"],
               pathlib.Path(node["callFrame"]["url"]).name)
              for node in profile["nodes"]}
    check("it has the functions, with their files and lines",
          {("inner", 1, "app.js"), ("outer", 2, "app.js"),
           ("later", 4, "app.js")} <= frames, frames)
    parents = {child: node["callFrame"]["functionName"]
               for node in profile["nodes"] for child in node["children"]}
    check("inner is called by outer",
          all(parents[node["id"]] == "outer" for node in profile["nodes"]
              if node["callFrame"]["functionName"] == "inner"), parents)
    check("the time between is the program's",
          any(node["hitCount"] > 0 for node in profile["nodes"]
              if node["callFrame"]["functionName"] == "(program)"), profile)
    coarse = run(scratch, "--cpu-prof", "--cpu-prof-name=b.cpuprofile",
                 "--cpu-prof-interval=50000")
    fewer = json.loads((scratch / "b.cpuprofile").read_text())
    check("a longer interval takes fewer samples", coarse.returncode == 0 and
          all(b > 25000 for b in fewer["timeDeltas"][1:]), fewer["timeDeltas"])
    run(scratch, "--cpu-prof")
    names = [path.name for path in scratch.glob("CPU.*")]
    check("the default name has Node's form", len(names) == 1 and re.fullmatch(
        r"CPU\.\d{8}\.\d{6}\.\d+\.0\.001\.cpuprofile", names[0]), names)
    bad = run(scratch, "--cpu-prof", "--cpu-prof-name=/nonexistent/a")
    check("a file that cannot be written fails the program",
          bad.returncode == 1 and "/nonexistent/a" in bad.stderr, bad)
    zero = run(scratch, "--cpu-prof", "--cpu-prof-interval=0")
    check("an interval of 0 is refused", zero.returncode == 9, zero)
print(f"1..{len(results)}")
sys.exit(not all(results))
