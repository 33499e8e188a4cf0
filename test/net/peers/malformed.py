#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Malformed and ambiguous requests, as bytes, against a running server.

    test/net/peers/malformed.py [--server NAME|COMMAND] [--at-once] [CASE ...]

Each request of requests.py is sent on a connection of its own, once in one
write and once byte by byte.  It must be refused with its status and the
connection closed, or it must be served; and the server's log must show that
nothing was executed but what the case allows, and nothing twice.
"""
import argparse
import re

import requests
import rig

LONGEST_BY_BYTE = 3000
PATIENCE = 3


class Log:
    """What the server has executed since the last look."""

    def __init__(self, path):
        self.file = open(path, encoding="latin-1")

    def read(self, number):
        """(target, body length) for each request of that case."""
        found = []
        for line in self.file.read().splitlines():
            _, target, length = line.rsplit(" ", 2)
            if re.search(rf"[?&][ns]={number:03}\b", target):
                found.append((target, int(length)))
        return found


def fill_in(data, number):
    return data.replace(b"@@@", b"%03d" % number)


def exchange(port, case, data, by_byte):
    """Send it all; return the responses and how the connection ended."""
    answers = []
    with rig.Client(port, PATIENCE) as client:
        for piece in ([data[i:i + 1] for i in range(len(data))] if by_byte
                      else [data]):
            client.send(piece)
        if case.hangs_up:
            client.socket.shutdown(1)
        while len(answers) < case.first + 3:
            is_unasked = len(answers) > case.first + (not case.hangs_up
                                                      and not case.closes)
            answer = client.response(0.02 if is_unasked else PATIENCE,
                                     case.to_head and len(answers) ==
                                     case.first)
            if answer is None:
                break
            answers.append(answer)
            if answer.status >= 400 and answer.status not in case.answer:
                break
        must_end = not case.may_stay and (
            case.hangs_up or case.closes or not answers
            or answers[-1].status not in (200, *case.answer))
        ended = client.is_ended(PATIENCE) and client.ended if must_end else None
    return answers, ended


def check_served(case, answers, ended, log):
    """What is wrong with a request that was served, or None."""
    has_next = not case.closes and not case.hangs_up
    wanted = case.first + 1 + has_next
    if len(answers) != wanted:
        return f"{len(answers)} answers instead of {wanted}"
    if len(log) != wanted or "/smuggled" in str(log) or "s=" in str(log):
        return f"executed {log}"
    if has_next and not log[-1][0].endswith("/next?n=" + log[-1][0][-3:]):
        return f"the last one executed is {log[-1]}"
    if log[case.first][1] != case.body:
        return f"a body of {log[case.first][1]} bytes instead of {case.body}"
    if not has_next and ended != "fin":
        return f"the connection ended by {ended}"
    return None


def check_refused(case, answers, ended, log):
    """What is wrong with a refusal, or None."""
    if case.may_stay and answers[-1].status in case.statuses:
        is_next = [target for target, _ in log if target.startswith("/next")]
        return None if len(is_next) == len(log) <= 1 else f"executed {log}"
    if len(log) != case.first:
        return f"executed {log}"
    if ended != "fin":
        return f"the connection ended by {ended}"
    if len(answers) == case.first and case.hangs_up:
        return None  # nobody is there to answer
    if len(answers) != case.first + 1:
        return f"{len(answers) - case.first} answers"
    if answers[-1].status not in case.statuses:
        return f"status {answers[-1].status} instead of {case.statuses}"
    if not answers[-1].closes():
        return "the response does not say Connection: close"
    return None


def judge(case, answers, ended, log):
    statuses = [answer.status for answer in answers]
    is_served = len(answers) > case.first and (
        answers[case.first].status in case.answer)
    if is_served and not case.may_serve:
        wrong = "served"
    elif is_served:
        wrong = check_served(case, answers, ended, log)
    elif not case.statuses:
        wrong = "not served"
    else:
        wrong = check_refused(case, answers, ended, log)
    return wrong and f"{wrong}; answers {statuses}, ended {ended}, log {log}"


def run(case, number, target, log, longest_by_byte):
    """The first thing that is wrong, or None."""
    data = fill_in(case.data, number)
    trap = requests.SMUGGLED if not case.may_serve else (
        b"GET /next?n=@@@ HTTP/1.1\r\n" + requests.HOST + b"\r\n")
    if not case.hangs_up:
        data += fill_in(trap, number)
    for by_byte in (False, True):
        if by_byte and len(data) > longest_by_byte:
            break
        answers, ended = exchange(target.port, case, data, by_byte)
        wrong = judge(case, answers, ended, log.read(number))
        if wrong:
            return f"{'byte by byte' if by_byte else 'at once'}: {wrong}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="weir")
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("cases", nargs="*")
    given = parser.parse_args()
    with rig.Target(rig.command_of(given.server)) as target:
        log = Log(target.log)
        for number, case in enumerate(requests.CASES):
            if given.cases and case.name not in given.cases:
                continue
            wrong = run(case, number, target, log,
                        0 if given.at_once else LONGEST_BY_BYTE)
            rig.expect(case.name, wrong is None, wrong,
                       repr(case.data[:300])[1:])
        rig.expect("the server still answers", rig.get(target.port)[0] == 200)
    rig.finish()


main()
