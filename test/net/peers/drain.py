#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The drain table: SIGTERM under load, many times, and what was lost.

    test/net/peers/drain.py [--server NAME|COMMAND] [--rounds N] [ROW ...]

NAME is weir (target.c, the default), serve (serve.mjs, in JavaScript),
serve-workers (the same in two workers), nodehttp (node:http on weir, with
server.drain), express (the same with express) or one of Node's.  Without
--server and rows, those in JavaScript follow with the rows of JAVASCRIPT.

A round starts the server, lets build/peers/load keep its connections busy,
sends SIGTERM at a random moment, and compares three accounts of what happened:
the client's (load/connection.c), the server's log of executed requests, and
its exit status.  The client obeys Connection: close, and looks for the
server's FIN before it sends.

    lost         a request that was sent completely and got no answer, although
                 the server executed it, or reset the connection
    crossed      a request that was sent completely and got no answer; the
                 server ended the connection with a FIN, and did not execute it
    interrupted  the connection ended while the request was being sent
    cut          a part of the response arrived
    twice        requests that were executed more than once

Rows: post chunked pipeline connect idle threads delay streams mixed stuck nginx
haproxy.
The rows of Node 20, nginx and haproxy, measured by the same client, are for
comparison.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import select
import shutil
import signal
import socket
import statistics
import subprocess
import threading
import time

import rig

DEADLINE_MS, IDLE_MS, LINGER_MS = 3000, 300, 500
GRACE_MS = 50  # how long a listener accepts what has begun: idle counts then
WEIR_OPTIONS = ["--deadline-ms", DEADLINE_MS, "--idle-ms", IDLE_MS,
                "--linger-ms", LINGER_MS]

# What the 100 connections do; the longest busy time before the signal.
ROWS = {
    "post": "post=100",
    "chunked": "chunked=100",
    "pipeline": "pipeline=100",
    "connect": "connect=40,post=40",
    "idle": "idle=100",
    "threads": "post=70,connect=30",
    "delay": "post=40,connect=20,silent=10",
    "streams": "stream=30,slow=20,events=30,websocket=20",
    "mixed": "post=20,chunked=10,pipeline=10,stream=10,slow=5,events=10,"
             "websocket=10,silent=10,half-header=8,half-body=7",
    "stuck": "post=20,stuck-header=10,stuck-body=10,silent=10",
    "nginx": "post=70,chunked=30",
    "haproxy": "post=70,chunked=30",
}
# What the server is told in addition.
DELAY_MS = 200
EXTRA = {"threads": ["--threads", 2], "delay": ["--delay-ms", DELAY_MS]}
JAVASCRIPT = {"serve": ["post", "idle", "streams", "mixed"],
              "serve-workers": ["post", "idle", "streams"],
              "nodehttp": ["post", "chunked", "streams"],
              "express": ["post", "streams"]}
PROXIES = {"nginx": rig.nginx, "haproxy": rig.haproxy}
# For comparison: these are stopped themselves, gracefully.
STOPPED = {"nginx-stop": ("nginx", int(signal.SIGQUIT)),
           "haproxy-stop": ("haproxy", int(signal.SIGUSR1))}


class Row:
    """The sums over the rounds of one row."""

    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()
        self.rounds = 0
        self.counts = collections.Counter()
        self.exits = collections.Counter()
        self.times = []
        self.slowest_ms = 0  # of the answers
        self.refusals = []  # ms after the signal
        self.strange = []  # what a reader of a failure wants to see

    def judge(self, line, executed):
        """Classify one request that was not answered."""
        _, number, _, outcome, how, when, *_ = line.split()
        was_executed = executed[int(number)] > 0
        if outcome == "unanswered":
            is_crossed = how == "fin" and not was_executed
            outcome = "crossed" if is_crossed else "lost"
        elif outcome == "after-close" and was_executed:
            outcome = "after-close-executed"
        self.counts[outcome] += 1
        if when == "late" and outcome in ("lost", "crossed"):
            self.counts["late"] += 1
        if was_executed and outcome in ("lost", "cut"):
            self.counts["executed"] += 1
        if outcome != "after-close" and len(self.strange) < 8:
            self.strange.append(f"{line}{' executed' * was_executed}")

    def add(self, output, executed, status, drain_ms, is_left=False):
        with self.lock:
            self.add_locked(output, executed, status, drain_ms, is_left)

    def add_locked(self, output, executed, status, drain_ms, is_left):
        self.rounds += 1
        for line in output.splitlines():
            first, _, rest = line.partition(" ")
            if first == "request":
                self.judge(line, executed)
            elif first == "refusal":
                self.refusals.append(int(rest) / 1000)
            elif first == "odd":
                self.strange.append(line)
            elif first == "slowest_us":
                self.slowest_ms = max(self.slowest_ms, int(rest) // 1000)
            elif first != "connection":
                self.counts[first] += int(rest)
        self.counts["twice"] += sum(1 for n in executed.values() if n > 1)
        self.exits[status] += 1
        self.times.append(drain_ms)
        self.counts["ended"] += status is not None and not is_left

    def fine(self, *allowed):
        """Whether nothing happened that must not."""
        bad = {"lost", "crossed", "interrupted", "cut", "twice", "wrong", "bad",
               "failed", "after-close-executed", "refused_before", "reset",
               "connect_failed", "left"} - set(allowed)
        return not any(self.counts[name] for name in bad)

    def details(self):
        return [dict(self.counts), dict(self.exits), *self.strange[:20]]


def run_load(rng, port, pid, mix, *options):
    """Run the client; it prints what its connections saw."""
    command = [rig.LOAD, "--port", port, "--pid", pid, "--mix", mix,
               "--seed", rng.randrange(1 << 32),
               "--idle-ms", GRACE_MS + IDLE_MS, *options]
    done = subprocess.run([str(word) for word in command], check=True,
                          stdout=subprocess.PIPE, timeout=60)
    return done.stdout.decode("latin-1")


def choose_moment(rng, options):
    """Microseconds until the signal; others than weir get time to warm up."""
    return rng.randrange(20000, 100000) + (0 if options else 400000)


def drain_once(row, rng, command, options):
    """One shutdown without a proxy."""
    limit_ms = DEADLINE_MS + 1000 if options else 2000
    with rig.Target(command, *options) as target:
        output = run_load(rng, target.port, target.pid, ROWS[row.name],
                          "--signal-us", choose_moment(rng, options),
                          "--run-ms", limit_ms, "--grace-ms", 500)
        end_ms = int(re.search(r"^end_us (\d+)", output, re.M)[1]) / 1000
        begun = time.monotonic()
        status = target.wait((limit_ms - end_ms) / 1000 + 0.5)
        drain_ms = end_ms + (time.monotonic() - begun) * 1000
        row.add(output, target.executed_ids(), status, drain_ms,
                re.search(r"^left [1-9]", output, re.M))


def drain_behind(row, rng, command, options):
    """One shutdown behind a proxy that has another server to turn to."""
    with rig.Target(command, *options) as target, \
            rig.Target(command, *options) as other:
        with PROXIES[row.name]([target.port, other.port]) as (port, _):
            rig.get(port)  # it is running
            output = run_load(rng, port, target.pid, ROWS[row.name],
                              "--signal-us", choose_moment(rng, options),
                              "--run-ms", 150, "--grace-ms", 5000,
                              "--reconnect")
            begun = time.monotonic()
            status = target.wait(DEADLINE_MS / 1000 + 1)
            drain_ms = 150 + (time.monotonic() - begun) * 1000
        executed = target.executed_ids()
        executed.update(other.executed_ids())
        # The client stops first: connections that it closed are not "left".
        output = re.sub(r"^left .*", "left 0", output, flags=re.M)
        row.add(output, executed, status, drain_ms)


def stop_proxy(row, rng, command, options):
    """One shutdown of a proxy itself, as its manual says."""
    name, number = STOPPED[row.name]
    with rig.Target(command, *options) as target, \
            PROXIES[name]([target.port]) as (port, pid):
        rig.get(port)  # it is running
        output = run_load(rng, port, pid, ROWS["post"], "--signal", number,
                          "--signal-us", choose_moment(rng, []),
                          "--run-ms", 2000, "--grace-ms", 500)
        end_ms = int(re.search(r"^end_us (\d+)", output, re.M)[1]) / 1000
        is_left = re.search(r"^left [1-9]", output, re.M)
        row.add(output, target.executed_ids(), None if is_left else 0, end_ms,
                is_left)


def measure(name, rng, command, options, rounds):
    """Run the rounds, several at a time where they mostly wait."""
    row = Row(name)
    run = (stop_proxy if name in STOPPED else
           drain_behind if name in PROXIES else drain_once)
    jobs = 4 if name in PROXIES else 1 if rig.BRIEF else 2
    seeds = [rng.randrange(1 << 32) for _ in range(rounds)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(run, row, random.Random(seed), command,
                                 options) for seed in seeds]:
            done.result()
    return row


HEAD = (f"{'server':12} {'load':12} {'stops':>5} {'requests':>8} {'lost':>5} "
        f"{'exec.':>5} {'crossed':>7} {'interr.':>7} {'cut':>4} {'twice':>5} "
        f"{'failed':>6} {'close':>6} {'resets':>6} {'refused':>7} {'ended':>5} {'exit 0':>6} "
        f"{'ms':>5} {'max':>5} {'slowest':>7}")


def print_row(server, row):
    c = row.counts
    rig.comment(
        f"{server:12} {row.name:12} {row.rounds:5} {c['sent']:8} {c['lost']:5} "
        f"{c['executed']:5} {c['crossed']:7} {c['interrupted']:7} {c['cut']:4} "
        f"{c['twice']:5} {c['failed']:6} {c['closing']:6} {c['reset']:6} "
        f"{c['refused']:7} {c['ended']:5} {row.exits[0]:6} "
        f"{statistics.median(row.times):5.0f} {max(row.times):5.0f} {row.slowest_ms:7}")


def expect_row(server, row):
    """What weir promises."""
    where = row.name if server == "weir" else f"{server}, {row.name}"
    allowed = {
        # A request, or its first part, may meet the FIN that ends an idle
        # connection.
        "idle": ["crossed", "interrupted"],
        # The deadline ends what never completes its request.
        "stuck": ["interrupted", "failed", "reset", "left"],
    }.get(row.name, [])
    rig.expect(f"{where}: no request is lost in {row.rounds} shutdowns",
               row.fine(*allowed), *row.details())
    rig.expect(f"{where}: requests were under way at the signals",
               row.counts["sent"] > 20 * row.rounds, *row.details())
    if row.name != "stuck":
        rig.expect(f"{where}: every shutdown exits with 0",
                   row.exits[0] == row.rounds, *row.details())
    rig.expect(f"{where}: every shutdown ends within its deadline",
               max(row.times) < DEADLINE_MS + 500, sorted(row.times)[-5:])
    if row.name == "delay":
        rig.expect(f"{where}: connections are accepted until the delay is over",
                   row.refusals and min(row.refusals) >= DELAY_MS - 5,
                   sorted(row.refusals)[:5])
    if row.name in ("streams", "mixed"):
        rig.expect(f"{where}: every WebSocket gets close code 1012",
                   row.counts["ws_close_1012"] == row.counts["ws_open"] > 0
                   and row.counts["ws_cut"] == 0, *row.details())


def ask(port, target):
    """The status of a GET, and whether the response closes."""
    with rig.Client(port) as client:
        client.send(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        answer = client.response()
        return answer and (answer.status, answer.closes())


def check_health(command):
    """What a load balancer sees."""
    with rig.Target(command, "--health", "--delay-ms", 600, *WEIR_OPTIONS) as one:
        before = ask(one.port, "/readyz"), ask(one.port, "/livez")
        one.signal()
        end, after = time.monotonic() + 5, None
        while after != (503, True) and time.monotonic() < end:
            after = ask(one.port, "/readyz")
        alive = ask(one.port, "/livez")
        rig.expect("health: the server is ready and alive before the signal",
                   before == ((200, False), (200, False)), before)
        rig.expect("health: it is alive and not ready after the signal",
                   (after, alive) == ((503, True), (200, True)), after, alive)
        rig.expect("health: it exits with 0", one.wait(5) == 0)


def wait_for_execution(target):
    end = time.monotonic() + 5
    while not target.executed() and time.monotonic() < end:
        select.select([], [], [], 0.01)


def check_force(command):
    """A second signal ends what would hold the drain."""
    with rig.Target(command, "--deadline-ms", 60000) as one, \
            rig.Client(one.port) as client:
        client.send(b"GET /slow?ms=60000 HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_for_execution(one)
        one.signal()
        rig.expect("force: one signal waits for the request",
                   one.wait(0.3) is None)
        one.signal()
        status = one.wait(5)
        rig.expect("force: a second one ends the server at once, and not with 0",
                   status not in (None, 0), status)


def check_blocked(command):
    """Requests that arrive in time, while a handler blocks the loop.

    The handler begins to block when the listeners are closed, and ends long
    after the time that idle connections have.
    """
    request = b"GET %b HTTP/1.1\r\nHost: a\r\n\r\n"
    with rig.Target(command, "--idle-ms", 500) as one, \
            rig.Client(one.port) as idle, rig.Client(one.port) as fresh, \
            rig.Client(one.port) as busy, rig.Client(one.port) as probe:
        idle.send(request % b"/")
        idle.response()
        one.signal()
        answer = None
        while not answer or not answer.closes():
            answer = probe.send(request % b"/").response()
        select.select([], [], [], 0.15)  # otherwise the test proves less
        one.log.write_text("")
        busy.send(request % b"/block?ms=1500")
        wait_for_execution(one)
        for client in (idle, fresh):
            client.send(request % b"/")
        answers = [client.response() for client in (busy, idle, fresh)]
        rig.expect("blocked: what arrives while the loop is blocked is answered",
                   all(answer and answer.status == 200 and answer.closes()
                       for answer in answers),
                   [answer and answer.status for answer in answers])
        rig.expect("blocked: the server exits with 0", one.wait(5) == 0)


def ask_over_tls(port, connected, outcomes):
    """Ask until a response closes; then the end must be announced."""
    answered = 0
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as raw, \
                rig.tls_context().wrap_socket(
                    raw, suppress_ragged_eofs=False) as tls:
            connected.wait(10)
            data = b""
            while b"Connection: close" not in data:
                tls.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                data = b""
                while not data.endswith(b"OK\n"):
                    more = tls.recv(65536)
                    if not more:
                        raise OSError("the end instead of a response")
                    data += more
                answered += 1
            outcomes.append("announced" if tls.recv(1) == b"" else "more bytes")
    except OSError as error:
        outcomes.append(f"{error} after {answered} answers")


def drain_tls(command, certificate, key, outcomes):
    """One shutdown with twenty clients; returns the exit status."""
    with rig.Target(command, *WEIR_OPTIONS, "--tls-cert", certificate,
                    "--tls-key", key) as one:
        connected = threading.Barrier(21)
        clients = [threading.Thread(target=ask_over_tls,
                                    args=(one.port, connected, outcomes))
                   for _ in range(20)]
        for client in clients:
            client.start()
        connected.wait(10)
        end = time.monotonic() + 5
        while len(one.executed()) < 200 and time.monotonic() < end:
            select.select([], [], [], 0.01)
        one.signal()
        for client in clients:
            client.join()
        return one.wait(5)


def check_tls(command):
    """The same over TLS: close_notify comes after the last response."""
    certificate, key = rig.make_certificate()
    rounds, outcomes, statuses = 3 if rig.BRIEF else 20, [], []
    for _ in range(rounds):
        statuses.append(drain_tls(command, certificate, key, outcomes))
    rig.expect("tls: every response is whole, and the end is announced",
               outcomes == ["announced"] * 20 * rounds,
               collections.Counter(outcomes))
    rig.expect("tls: every shutdown exits with 0", statuses == [0] * rounds,
               statuses)


def compare(rng, command, rounds):
    """The rows of others, measured by the same client."""
    if shutil.which("node"):
        for server, other in rig.NODE.items():
            print_row(server, measure("post", rng, other, [], rounds))
    for name, (server, _) in STOPPED.items():
        if shutil.which(server):
            print_row(server, measure(name, rng, command, WEIR_OPTIONS, rounds))


def choose_rounds(name):
    """How many shutdowns a row has if nobody says so."""
    if name == "stuck":
        return 2 if rig.BRIEF else 20  # each waits for the deadline
    if name in ("post", *PROXIES):
        return 50 if rig.BRIEF else 1000
    return 10 if rig.BRIEF else 100


def run_rows(server, rng, rows, rounds):
    """Print the rows of a server, and judge them if it is weir's."""
    is_weir = server not in rig.NODE
    for name in rows:
        if name in PROXIES and not shutil.which(name):
            rig.skip(f"{name}: no request is lost", f"{name} is not installed")
            continue
        options = WEIR_OPTIONS + EXTRA.get(name, []) if is_weir else []
        row = measure(name, rng, rig.command_of(server), options,
                      rounds or choose_rounds(name))
        print_row(server, row)
        if is_weir:
            expect_row(server, row)
        else:
            for line in row.strange[:8]:
                rig.comment(line)


def run_javascript(rng, rounds):
    """The servers in JavaScript, if there is JavaScript."""
    for server, rows in JAVASCRIPT.items():
        missing = [one for one in rig.command_of(server)
                   if one.startswith("/") and not os.path.exists(one)]
        if server == "express" and not rig.EXPRESS.exists():
            missing.append(str(rig.EXPRESS))
        if missing:
            rig.skip(f"{server}: no request is lost", f"there is no {missing[0]}")
        else:
            run_rows(server, rng, rows, rounds or (4 if rig.BRIEF else 50))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--compare", type=int, default=4 if rig.BRIEF else 8,
                        help="rounds of Node, nginx and haproxy")
    parser.add_argument("rows", nargs="*")
    given = parser.parse_args()
    rng = rig.seeded()
    server = given.server or "weir"
    command, is_weir = rig.command_of(server), server not in rig.NODE
    rig.comment(HEAD)
    run_rows(server, rng, given.rows or ROWS, given.rounds)
    if not given.server and not given.rows:
        run_javascript(rng, given.rounds)
    if is_weir and not given.rows:
        check_health(command)
        check_force(command)
        check_blocked(command)
        check_tls(command)
    if is_weir and given.compare:
        compare(rng, command, given.compare)
    rig.finish()


main()
