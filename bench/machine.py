# SPDX-License-Identifier: MIT
"""The machine and the build, for the rows of programs in Python."""

import os
import pathlib
import platform
import re
import subprocess


def compiler(build):
    cache = build / "CMakeCache.txt"
    found = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$",
                      cache.read_text() if cache.exists() else "", re.M)
    command = found[1] if found else "cc"
    text = subprocess.run([command, "--version"], text=True,
                          capture_output=True).stdout
    number = re.search(r"\d+\.\d+\.\d+", text)
    return ("clang " if "clang" in text else "gcc ") + \
        (number[0] if number else "unknown")


def describe(build):
    cpu = re.search(r"^model name\s*:\s*(.*)$",
                    pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return {"commit": os.environ.get("BENCH_COMMIT", "unknown"),
            "compiler": compiler(build), "cpu": cpu[1] if cpu else "unknown",
            "kernel": f"{platform.system()} {platform.release()}"}
