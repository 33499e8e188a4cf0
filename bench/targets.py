# SPDX-License-Identifier: MIT
"""What the figures must be: bench/targets.json against the results.

A target is a limit for one row: alone ("unit"), divided by another row of its
workload ("to"; "best peer" is the quickest of another library), or without what
another row takes ("less", "unit").  "metric"
is the mean unless it says so.  "short" is why a row may miss its target; it is
shown when it does.  "beside" names another metric, whose ratio is always shown
and not judged: {"metric": "mean", "what": "by elapsed time"}.
"""

import json
import operator
import pathlib

FILE = pathlib.Path(__file__).with_name("targets.json")
RELATIONS = {"≤": operator.le, "≥": operator.ge, "<": operator.lt}


class Target:
    """A target, and what was measured: None where something is absent."""
    def __init__(self, rule, rows):
        self.rule = rule
        self.workload = rule["workload"]
        self.relation, limit = rule["must"].split()
        self.limit = float(limit)
        self.unit = " " + rule["unit"] if "to" not in rule else "×"
        mine = self.rows_of(rows, rule.get("metric", "mean"))
        self.value = {row["impl"]: row["value"] for row in mine}
        peers = [row for row in mine if "peer" in row]
        self.peer = min(peers, key=lambda row: row["value"])["impl"] \
            if peers else None
        self.beside = self.read_beside(rows) if "beside" in rule else ""

    def rows_of(self, rows, metric):
        return [row for row in rows if row["workload"] == self.workload
                and row["metric"] == metric and row["status"] == "ok"]

    def read_beside(self, rows):
        """What the document says after the verdict."""
        beside = self.rule["beside"]
        value = {row["impl"]: row["value"]
                 for row in self.rows_of(rows, beside["metric"])}
        mine, base = value.get(self.rule["impl"]), value.get(self.rule["to"])
        return f"; {beside['what']} {mine / base:.3g}×" \
            if mine is not None and base else ""

    @property
    def what(self):
        best = self.rule.get("to") == "best peer" and self.peer
        return f"{self.workload}: {self.rule['what']}" + \
            (f" ({self.peer})" if best else "")

    @property
    def measured(self):
        value = self.value.get(self.rule["impl"])
        if "less" in self.rule:
            base = self.value.get(self.rule["less"])
            return None if value is None or base is None else value - base
        if "to" not in self.rule:
            return value
        other = self.rule["to"]
        base = self.value.get(self.peer if other == "best peer" else other)
        return value / base if value is not None and base else None

    @property
    def is_met(self):
        return RELATIONS[self.relation](self.measured, self.limit)

    @property
    def is_short(self):
        return self.measured is not None and not self.is_met

    @property
    def must(self):
        return f"{self.relation} {self.limit:g}{self.unit}"

    @property
    def shown(self):
        return "" if self.measured is None else \
            f"{self.measured:.3g}{self.unit}"

    @property
    def verdict(self):
        if self.measured is None:
            return "not measured"
        why = self.rule.get("short", "the reason is not known")
        return ("met" if self.is_met else f"**not met**: {why}") + self.beside


def read(rows):
    """[(title, [Target, ...]), ...]"""
    return [(group["title"], [Target(rule, rows) for rule in group["targets"]])
            for group in json.loads(FILE.read_text(encoding="utf-8"))]


def table(targets):
    lines = ["| what | must be | measured | |", "|---|---|---|---|"]
    lines += [f"| {target.what} | {target.must} | {target.shown} "
              f"| {target.verdict} |" for target in targets]
    return "\n".join(lines)


def tables(rows):
    """All of them, for the document and for the end of a run.  Groups of which
    nothing was measured are left out."""
    parts = [f"## Targets of {title}\n\n{table(targets)}"
             for title, targets in read(rows)
             if any(target.measured is not None for target in targets)]
    # Once for each contestant, not for each of its metrics.
    kept = sum({(row["workload"], row["impl"]): row["noisy"]
                for row in rows}.values())
    if kept > 0:
        parts.append(f"{kept} turns were kept although a thread of theirs lost "
                     "its core for a moment, a calibration spin was slow, or "
                     "others had a part of the cores: with both cores of a "
                     "small machine in use, the kernel's own threads are "
                     "enough for that.  The tables count them; judge by the "
                     "spread.")
    return "\n\n".join(parts)


def shortfalls(rows, workload):
    """A line for each target that this workload misses."""
    return [f"Falls short: {target.rule['what']} is {target.shown}, must be "
            f"{target.must}.  Why: "
            f"{target.rule.get('short', 'not known yet')}."
            for _, targets in read(rows) for target in targets
            if target.workload == workload and target.is_short]
