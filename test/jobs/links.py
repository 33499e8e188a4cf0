#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Three workers on machines of their own, whose links go down.

    links.py [JOBS [ROUNDS]]

Each worker has a network namespace, joined by a link to that of a PostgreSQL
server.  A link that is down loses what is sent, and nobody is told.  The history
is checked as test/jobs/crash.py does.  300 jobs and 4 rounds by default, 10,000
and 60 in `make verify`.  Without the right to make namespaces, nothing is tested.
Prints TAP.
"""
import contextlib
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
import crash  # noqa: E402
from crash import choose, expect  # noqa: E402
from postgres import make_place  # noqa: E402
from server import Server  # noqa: E402

MACHINES = 3
# The clients' deadline: what was on its way is not known to be lost.
os.environ.setdefault("WEIR_TEST_BUSY_MS", "5000")


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True)


class Network:
    """A hub and its machines: namespaces, links, addresses 10.99.N.1 and 2."""

    def __init__(self):
        self.hub = f"weir-{os.getpid()}"
        self.machines = [f"{self.hub}-{i}" for i in range(MACHINES)]

    def __enter__(self):
        try:
            ip("netns", "add", self.hub)
            for i, machine in enumerate(self.machines):
                ip("netns", "add", machine)
                ip("-n", self.hub, "link", "add", f"to{i}", "type", "veth",
                   "peer", "name", "hub", "netns", machine)
                ip("-n", self.hub, "address", "add", f"10.99.{i}.1/24", "dev",
                   f"to{i}")
                ip("-n", machine, "address", "add", f"10.99.{i}.2/24", "dev",
                   "hub")
                ip("-n", machine, "link", "set", "hub", "up")
                self.set_link(i, "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in [*self.machines, self.hub]:
            subprocess.run(["ip", "netns", "delete", name],
                           stderr=subprocess.DEVNULL)

    def set_link(self, i, state):
        ip("-n", self.hub, "link", "set", f"to{i}", state)


def can_make_namespaces():
    made = subprocess.run(["ip", "netns", "add", f"weir-{os.getpid()}"],
                          capture_output=True)
    if made.returncode == 0:
        ip("netns", "delete", f"weir-{os.getpid()}")
    return made.returncode == 0


def start_worker(place, network, server, i, name):
    """In its namespace, through its link."""
    place.store = f"postgres://postgres@10.99.{i}.1/{name}"
    return place.work(through=(
        "ip", "netns", "exec", network.machines[i]))


def lose_links(server, network, jobs, rounds):
    with make_place(server)() as place:
        name = place.session.url.split("/")[3].split("?")[0]
        adder = place.add(jobs)  # beside the server
        workers = [start_worker(place, network, server, i, name)
                   for i in range(MACHINES)]
        for _ in range(rounds):
            seen, more = place.lines("claimed"), choose.randrange(1, 20)
            place.wait_for("claims", lambda: place.lines("claimed") >=
                           seen + more or adder.poll() is not None)
            down = choose.sample(range(MACHINES), choose.randrange(1, MACHINES + 1))
            for i in down:
                network.set_link(i, "down")
            time.sleep(choose.choice((0.05, 3 * crash.LEASE_MS / 1000)))
            for i in down:
                network.set_link(i, "up")
        adder.wait()
        problem = place.violations()
        history = place.history()
        if any(worker.poll() is not None for worker in workers):
            problem = problem or "a worker has ended"
        if problem is None and len(history.keys) != jobs:
            problem = f"{len(history.keys)} of {jobs} jobs"
        expect(f"{jobs} jobs, three workers in namespaces, {rounds} times links "
               f"were down: {len(history.tokens)} claims, {history.refused} stale "
               "completions, nothing lost, nothing twice, in order", problem)


def main():
    crash.end_on_signals()
    jobs, rounds = crash.sizes(300, 4)
    if not can_make_namespaces():
        print("1..0 # SKIP network namespaces cannot be made")
        return 0
    print(f"# WEIR_SEED={crash.seed}")
    with crash.verdict(), contextlib.ExitStack() as stack:
        network = stack.enter_context(Network())
        server = stack.enter_context(
            Server([f"10.99.{i}.1" for i in range(MACHINES)], network.hub))
        lose_links(server, network, jobs, rounds)
    return crash.finish()


if __name__ == "__main__":
    sys.exit(main())
