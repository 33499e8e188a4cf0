#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Set the clock of processes that share a store, and fill their disk.

    world.py [JOBS [ROUNDS]]

Neither the machine's clock nor its disk is touched: the processes of a store in
SQLite, or the server of one in PostgreSQL, are told so by test/jobs/crash/world.c.
The history is checked as test/jobs/crash.py does.  300 jobs and 4 rounds by
default, 20,000 and 60 in `make verify`.  Prints TAP.
"""
import contextlib
import os
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
import crash  # noqa: E402
from crash import ROOT, expect  # noqa: E402
from postgres import make_place  # noqa: E402
from server import Server, Session  # noqa: E402

LIBRARY = ROOT / "build/peers/jobs-world.so"
HOUR_S = 3600
NO_GROWTH, NO_WRITE = 1, 2  # of world.c


class World:
    """What the processes believe that are started inside of it."""

    def __init__(self, disk):
        self.file = tempfile.NamedTemporaryFile(prefix="weir-world-")
        os.chmod(self.file.name, 0o644)  # the server is another user
        self.variables = {"LD_PRELOAD": str(LIBRARY), "WEIR_TEST_DISK": disk,
                          "WEIR_TEST_WORLD": self.file.name}
        self.change()

    def change(self, ahead_s=0, is_full=0):
        os.pwrite(self.file.fileno(), struct.pack("qq", ahead_s, is_full), 0)

    @contextlib.contextmanager
    def inside(self):
        before = dict(os.environ)
        os.environ.update(self.variables)
        try:
            yield
        finally:
            for name in self.variables:
                os.environ.pop(name, None)
            os.environ.update(before)


def wait_for_claims(place, adder, count=10):
    seen = place.lines("claimed")
    place.wait_for("claims", lambda: place.lines("claimed") >= seen + count or
                   adder.poll() is not None)


# ---- the clock ----

def set_clock(world, jobs, rounds, lease_ms, see):
    """Back and forth by an hour; at last to where every job is due."""
    with crash.Place() as place:
        with see():
            adder = place.add(jobs)
            workers = [place.work(lease_ms) for _ in range(3)]
            place.wait_for("workers", lambda: place.lines("ready") == 3)
        for i in range(rounds):
            wait_for_claims(place, adder)
            world.change(ahead_s=0 if i % 2 else -HOUR_S)
        wait_for_claims(place, adder)
        world.change(ahead_s=HOUR_S)
        adder.wait()
        problem = place.violations()
        if any(worker.poll() is not None for worker in workers):
            problem = problem or "a worker has ended"
        world.change()
        return place.history(), problem


def set_clock_of_processes(jobs, rounds):
    """Leases do not follow it: nothing runs twice."""
    world = World("no file")
    world.change(ahead_s=HOUR_S)
    with world.inside():
        date = subprocess.run(["date", "+%s"], capture_output=True, text=True)
    world.change()
    ahead_s = int(date.stdout) - time.time()
    expect("a process believes that the clock is an hour ahead",
           None if abs(ahead_s - HOUR_S) < HOUR_S / 2 else ahead_s)
    history, problem = set_clock(world, jobs, rounds, 60000, world.inside)
    problem = problem or "\n".join(history.miscounts()) or None
    if history.refused:
        problem = problem or "a lease has ended"
    expect(f"{jobs} jobs, the clock was set by an hour {rounds + 1} times: "
           "nothing lost, nothing twice, in order, no lease ended", problem)


def set_clock_of_server(world, server, jobs, rounds):
    """Leases follow it: jobs may run twice, and are completed once."""
    session = Session(server.url("postgres"))
    world.change(ahead_s=HOUR_S)
    ahead_s = float(session.ask("SELECT extract(epoch FROM clock_timestamp())"
                                )) - time.time()
    world.change()
    session.close()
    expect("the server believes that its clock is an hour ahead",
           None if abs(ahead_s - HOUR_S) < HOUR_S / 2 else ahead_s)
    history, problem = set_clock(world, jobs, rounds, crash.LEASE_MS,
                                 contextlib.nullcontext)
    expect(f"{jobs} jobs, the server's clock was set by an hour {rounds + 1} "
           f"times: {len(history.tokens)} claims, {history.refused} stale "
           "completions, nothing lost, nothing twice, in order", problem)


def set_clock_of_clients(jobs, rounds):
    """Only the server's clock counts: nothing runs twice."""
    world = World("no file")
    history, problem = set_clock(world, jobs, rounds, 60000, world.inside)
    problem = problem or "\n".join(history.miscounts()) or None
    if history.refused:
        problem = problem or "a lease has ended"
    expect(f"{jobs} jobs, the clock of the server's clients was set by an hour "
           f"{rounds + 1} times: nothing lost, nothing twice, in order, no lease "
           "ended", problem)


# ---- the disk ----

def fill_disk(world, jobs, rounds, see, endure):
    with crash.Place() as place:
        with see():
            adder = place.add(jobs, role="insist")
            workers = [place.work() for _ in range(3)]
        for i in range(rounds):
            wait_for_claims(place, adder)
            endure(place, i)
        adder.wait()
        problem = place.violations()
        history = place.history()
        if any(worker.poll() is not None for worker in workers):
            problem = problem or "a worker has ended"
        if problem is None and len(history.keys) < jobs:
            problem = f"{len(history.keys)} of {jobs} jobs"
        return history, problem, place.log.read_text().count(" ENOSPC\n")


def fill_disk_of_processes(jobs, rounds):
    world = World("jobs.db")

    def endure(place, i):
        refused = place.log.read_text().count(" ENOSPC\n")
        # If no worker had a job, none can get one now.
        until = time.monotonic() + 2
        world.change(is_full=NO_WRITE)
        place.wait_for("a full disk", lambda: place.log.read_text().count(
            " ENOSPC\n") > refused or time.monotonic() > until)
        world.change()

    history, problem, refused = fill_disk(world, jobs, rounds, world.inside,
                                          endure)
    if refused == 0:
        problem = problem or "the disk was never full"
    expect(f"{jobs} jobs, the disk was full {rounds} times: "
           f"{len(history.tokens)} claims, {refused} completions failed, "
           "nothing lost, nothing twice, in order", problem)


def fill_disk_of_server(world, server, jobs, rounds):
    """Without room for its tables it refuses; without its log it ends."""
    def endure(_, i):
        if i % 2 == 0:
            world.change(is_full=NO_GROWTH)
            time.sleep(0.5)  # that long
            world.change()
            return
        refused = server.count_log("No space left on device")
        world.change(is_full=NO_WRITE)
        server.wait_for_log("No space left on device", refused + 1)
        world.change()
        with world.inside():
            server.start()

    history, problem, _ = fill_disk(world, jobs, rounds,
                                    contextlib.nullcontext, endure)
    expect(f"{jobs} jobs, the disk of the server was full {rounds} times: "
           f"{len(history.tokens)} claims, nothing lost, nothing twice, in order",
           problem)


def main():
    crash.end_on_signals()
    jobs, rounds = crash.sizes(300, 4)
    print(f"# WEIR_SEED={crash.seed}")
    with crash.verdict():
        set_clock_of_processes(jobs, rounds)
        fill_disk_of_processes(jobs, rounds)
        world = World("/data/")
        with contextlib.ExitStack() as stack:
            with world.inside():
                server = stack.enter_context(Server())
            crash.Place = make_place(server)
            set_clock_of_clients(jobs, rounds)
            set_clock_of_server(world, server, jobs, rounds)
            fill_disk_of_server(world, server, jobs, rounds)
    return crash.finish()


if __name__ == "__main__":
    sys.exit(main())
