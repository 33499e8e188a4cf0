# SPDX-License-Identifier: MIT
"""results.jsonl: one JSON object in a line, as bench/report.c prints them.

In the compact form, which is kept in docs/bench, a line is a workload: what its
rows share, the names of the other columns, and the rows.
"""

import json
import pathlib

TEXTS = ("program", "workload", "impl", "metric", "unit", "status")
FIGURES = ("value", "min", "max")


class BadResults(Exception):
    """A file that cannot be read, or holds something else."""


def parse(line):
    """The rows of a line; a ValueError says what is wrong with it."""
    shared = json.loads(line)
    if not isinstance(shared, dict):
        raise ValueError("not a JSON object")
    columns, rows = shared.pop("columns", []), shared.pop("rows", [[]])
    return [check({**shared, **{key: value for key, value in zip(columns, row)
                                if value is not None}}) for row in rows]


def check(row):
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
            rows += parse(line)
        except ValueError as error:
            raise BadResults(f"{path}:{number}: {error}") from error
    return rows


def write(rows, path):
    """In the compact form."""
    with path.open("w", encoding="utf-8") as file:
        for name in dict.fromkeys(row["workload"] for row in rows):
            mine = [row for row in rows if row["workload"] == name]
            shared = {key: value for key, value in mine[0].items()
                      if all(row.get(key) == value for row in mine)}
            columns = list(dict.fromkeys(key for row in mine for key in row
                                         if key not in shared))
            table = [[row.get(key) for key in columns] for row in mine]
            json.dump({**shared, "columns": columns, "rows": table}, file,
                      ensure_ascii=False, separators=(",", ":"))
            file.write("\n")


def key(row):
    return row["workload"], row["impl"], row["metric"]


def plain(number):
    """Three digits, or all of those before the point."""
    return f"{number:.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def unit(row):
    return row["unit"].replace("us", "µs")
