# SPDX-License-Identifier: MIT
"""results.jsonl: one JSON object in a line, as bench/report.c prints them."""

import json
import pathlib

TEXTS = ("program", "workload", "impl", "metric", "unit", "status")
FIGURES = ("value", "min", "max")


class BadResults(Exception):
    """A file that cannot be read, or holds something else."""


def parse(line):
    """One row; a ValueError says what is wrong with it."""
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    figures = FIGURES if row.get("status") == "ok" else ()
    for key, types in [*((key, str) for key in TEXTS),
                       *((key, (int, float)) for key in figures)]:
        if not isinstance(row.get(key), types):
            raise ValueError(f'no "{key}", or one that makes no sense')
    return row


def read(path):
    """All rows of the file."""
    path = pathlib.Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadResults(f"{path}: {getattr(error, 'strerror', None) or error}") \
            from error
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(parse(line))
        except ValueError as error:
            raise BadResults(f"{path}:{number}: {error}") from error
    return rows


def key(row):
    return row["workload"], row["impl"], row["metric"]


def plain(number):
    """Three digits, or all of those before the point."""
    return f"{number:.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def unit(row):
    return row["unit"].replace("us", "µs")
