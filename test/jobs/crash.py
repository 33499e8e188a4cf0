#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kill, stop and drain processes that share a store, and check its history.

    crash.py [JOBS [KILLS [DRAINS]]]

JOBS jobs are added while workers are killed KILLS times, and then workers are
drained DRAINS times: 300, 6 and 5 by default, 100,000, 300 and 300 in `make
verify`.  Prints TAP.  WEIR_SEED=N repeats the choices, though not the
moments at which the kernel carries them out.
"""
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from ending import end_on_signals, end_with_parent  # noqa: E402
from history import History  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROCESS = ROOT / "build/peers/jobs"
LEASE_MS = 300
DEADLINE_S = 240

seed = int(os.environ.get("WEIR_SEED", time.time_ns() % 2**32))
choose = random.Random(seed)
number = failures = 0


def expect(what, problem):
    """Print a line of TAP.  problem is None, or says what is wrong."""
    global number, failures
    number += 1
    failures += problem is not None
    print(f"{'ok' if problem is None else 'not ok'} {number} - {what}",
          flush=True)
    if problem is not None:
        print("# " + str(problem).replace("\n", "\n# "), flush=True)


def kill(process):
    """Kill a process.  Of strace: what it traces, with which it ends too.

    A worker that outlives its strace goes on.
    """
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if process.poll() is None:
        traced = children.read_text().split()
        for pid in map(int, traced):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not traced:
            process.kill()
    process.wait()


@contextlib.contextmanager
def verdict():
    """Print what has not come in time as a failure."""
    try:
        yield
    except TimeoutError as error:
        expect("everything comes in time", error)


class Place:
    """A store, its log, and the processes that use it."""

    # Where a worker is killed by kill_at_calls.
    calls = "pwrite64,fdatasync,fsync,write,ftruncate,unlink,fcntl,openat"

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="weir-crash-"))
        self.store, self.log = self.path / "jobs.db", self.path / "log"
        self.processes = []
        self.log.touch()
        self.read_to = 0                      # how much of the log was counted
        self.counts = collections.Counter()   # by the first word
        self.ready = set()                    # ids of workers
        self.key_limit = 1
        self.limits = {}                      # of the queue
        self.variables = {}                   # of the processes
        self.samples = []                     # see History.check_rate

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            kill(process)
        shutil.rmtree(self.path)

    def start(self, role, *numbers, through=()):
        process = subprocess.Popen(
            [*through, PROCESS, role, self.store, self.log,
             *map(str, numbers)], preexec_fn=end_with_parent,
            env={**os.environ, **self.variables,
                 "WEIR_SEED": str(choose.getrandbits(63))})
        self.processes.append(process)
        return process

    def add(self, count, keys=None, role="add"):
        """Add jobs, half of them with a key.  Those of a key run in turn."""
        if keys is None:
            keys = max(7, count // 1000)
        return self.start(role, count, keys)

    def work(self, lease_ms=LEASE_MS, through=()):
        return self.start("work", lease_ms, 4, through=through)

    def limit(self, key_limit, concurrency=0, rate=0, key_rate=0,
              period_ms=1000):
        """Let so many jobs of a key, or of the queue, run at once, or begin."""
        self.key_limit = key_limit
        if concurrency:
            self.limits["concurrency"] = concurrency
        if rate:
            self.limits["rate"] = (rate, period_ms)
        if key_rate:
            self.limits["key_rate"] = (key_rate, period_ms)
        if self.start("limit", key_limit, concurrency, rate, period_ms,
                      key_rate).wait() != 0:
            raise TimeoutError("the limit was not set")

    def last_token(self):
        connection = sqlite3.connect(self.store, timeout=30)
        try:
            return connection.execute(
                "SELECT last_token FROM store").fetchone()[0]
        finally:
            connection.close()

    def sample(self):
        """Note the last token that was given out by now."""
        moment = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.samples.append((moment, self.last_token()))

    def history(self):
        return History(self.log.read_text().splitlines())

    def count(self, condition):
        """The number of jobs, or -1 if there is no store yet."""
        connection = sqlite3.connect(self.store, timeout=30)
        try:
            if not connection.execute("SELECT 1 FROM sqlite_schema "
                                      "WHERE name = 'job'").fetchone():
                return -1
            return connection.execute(
                f"SELECT count(*) FROM job WHERE {condition}").fetchone()[0]
        finally:
            connection.close()

    def is_writable(self):
        """Whether no process that is stopped is in the middle of a commit."""
        connection = sqlite3.connect(self.store, timeout=1, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            return True
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()

    def is_empty(self):
        return self.count("id = (SELECT min(id) FROM job)") == 0

    def wait_for(self, what, condition, progress=lambda: None):
        """Wait for a condition, and give up when nothing progresses."""
        deadline, seen = time.monotonic() + DEADLINE_S, progress()
        while not condition():
            if progress() != seen:
                deadline, seen = time.monotonic() + DEADLINE_S, progress()
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: not within {DEADLINE_S} s")
            time.sleep(0.01)

    def lines(self, word):
        """Count the lines that begin with a word."""
        with open(self.log, "rb") as log:
            log.seek(self.read_to)
            text = log.read()
        end = text.rfind(b"\n") + 1
        self.read_to += end
        for line in text[:end].decode().splitlines():
            first, _, rest = line.partition(" ")
            self.counts[first] += 1
            if first == "ready":
                self.ready.add(int(rest))
        return self.counts[word]

    def is_ready(self, worker):
        return self.lines("ready") and worker.pid in self.ready

    def finish(self):
        """Let a worker that is left alone do what is left."""
        if not any(p.poll() is None for p in self.processes):
            self.work()
        self.wait_for("an empty store", self.is_empty,
                      lambda: self.lines("done"))

    def violations(self):
        try:
            self.finish()
        except TimeoutError as error:
            return error
        history = self.history()
        found = list(history.violations(key_limit=self.key_limit))
        if "concurrency" in self.limits:
            found += history.check_concurrency(self.limits["concurrency"])
        if "rate" in self.limits:
            rate, period_ms = self.limits["rate"]
            # A clock that is being set right may be slower than another one.
            found += history.check_rate(self.samples, rate, period_ms * 990)
        if "key_rate" in self.limits:
            rate, period_ms = self.limits["key_rate"]
            found += history.check_key_rate(self.samples, rate, period_ms * 990)
        return "\n".join(found) or None


def kill_at_random(jobs, kills, key_limit=1):
    with Place() as place:
        if key_limit > 1:
            place.limit(key_limit)
        adder = place.add(jobs)
        workers = [place.work() for _ in range(3)]
        for _ in range(kills):
            seen, more = place.lines("claimed"), choose.randrange(1, 25)
            place.wait_for("claims", lambda: place.lines("claimed") >=
                           seen + more or place.is_empty() and
                           adder.poll() is not None)
            index = choose.randrange(3)
            workers[index].kill()
            workers[index].wait()
            workers[index] = place.work()
        adder.wait()
        problem = place.violations()
        history = place.history()
        if problem is None and len(history.keys) != jobs:
            problem = f"{len(history.keys)} of {jobs} jobs"
        if problem is None and not history.failed:
            problem = "no handler has failed"
        failed = sum(map(len, history.failed.values()))
        expect(f"{jobs} jobs, {key_limit} of a key at once, {kills} kills at "
               f"random: {len(history.tokens)} claims, {failed} failures, "
               "nothing lost, nothing twice, in order", problem)


def keep_limits(jobs, kills):
    """Limits of a queue hold for three processes, which are killed."""
    concurrency, rate, key_rate, period_ms = 5, 40, 4, 400
    with Place() as place:
        place.variables["WEIR_TEST_HOLD_US"] = "30000"
        place.limit(1, concurrency, rate, key_rate, period_ms)
        adder = place.add(jobs)
        workers = [place.work() for _ in range(3)]
        for _ in range(kills):
            seen = place.lines("claimed")

            def has_claimed():
                place.sample()
                return place.lines("claimed") >= seen + rate or place.is_empty()
            place.wait_for("claims", has_claimed)
            index = choose.randrange(3)
            workers[index].kill()
            workers[index].wait()
            workers[index] = place.work()
        adder.wait()
        problem = place.violations()
        history = place.history()
        held = [len(list(history.check_concurrency(less)))
                for less in (1, concurrency)]
        if problem is None and held != [1, 0]:
            problem = "the limit was never near"
        expect(f"{jobs} jobs, {kills} kills, {concurrency} at once and {rate} "
               f"in {period_ms} ms, {key_rate} of a key, for all processes: "
               f"{len(history.tokens)} claims, never more", problem)


def kill_at_calls(rounds):
    """strace kills the worker at the n-th system call that others can see."""
    calls = Place.calls
    with Place() as place:
        for _ in range(rounds):
            # A worker without work makes no calls, and is not killed.
            if place.count("true") < 100:
                place.add(200).wait()
            nth = choose.randrange(1, 120)
            worker = place.work(through=(
                "strace", "-f", "-qq", "-o", "/dev/null", "-e",
                f"trace={calls}", "-e",
                f"inject={calls}:signal=SIGKILL:when={nth}"))
            done = place.lines("done")
            place.wait_for("the kill", lambda: worker.poll() is not None or
                           place.lines("done") > done + 40)
            kill(worker)
        expect(f"{rounds} kills at the n-th system call: the history is right",
               place.violations())


def is_in_handler(place, owned):
    """Whether a handler of the owner's jobs has begun, and does not settle yet.
    A worker that is stopped before it has read of its claims begins none."""
    history = place.history()
    begun = ", ".join(str(token) for token in history.begun
                      if token not in history.ending)
    return begun != "" and place.count(f"{owned} AND token IN ({begun})") > 0


def stop_one(place, adder, workers):
    """Stop a worker whose handlers have jobs, and that is not just writing to the
    store.

    Returns it, or None if there is nothing left to do.
    """
    while True:
        worker = workers[choose.randrange(len(workers))]
        owned = f"state = 1 AND owner = 'process {worker.pid}'"
        place.wait_for("claims", lambda: place.count(owned) > 0 or
                       adder.poll() is not None and place.is_empty())
        worker.send_signal(signal.SIGSTOP)
        if place.is_writable() and is_in_handler(place, owned):
            return worker
        worker.send_signal(signal.SIGCONT)
        if adder.poll() is not None and place.is_empty():
            return None


def stop_past_the_lease(rounds):
    with Place() as place:
        place.variables["WEIR_TEST_HOLD_US"] = "30000"
        adder = place.add(rounds * 500)
        workers = [place.work() for _ in range(2)]
        stops = 0
        for _ in range(rounds):
            worker = stop_one(place, adder, workers)
            if worker is None:
                break
            stops += 1
            time.sleep(4 * LEASE_MS / 1000)  # that long, not until something
            worker.send_signal(signal.SIGCONT)
        adder.wait()
        problem = place.violations()
        refused = place.history().refused
        if refused == 0:
            problem = problem or "nothing was refused"
        expect(f"{stops} stops past the lease: {refused} stale completions were "
               "refused", problem)


def drain_under_load(rounds):
    with Place() as place:
        adder = place.add(rounds * 60, keys=0)
        # A lease that no busy machine outlasts: whatever is refused was lost.
        workers = [place.work(60000) for _ in range(3)]
        problem = None
        for _ in range(rounds):
            before = place.lines("claimed")
            place.wait_for("claims", lambda: place.lines("claimed") > before +
                           5 or place.is_empty())
            index = choose.randrange(3)
            place.wait_for("a worker", lambda: place.is_ready(workers[index]))
            workers[index].terminate()
            if workers[index].wait(timeout=60) != 0:
                problem = "a worker has failed"
            workers[index] = place.work(60000)
        adder.wait()
        problem = problem or place.violations()
        text = place.log.read_text()
        if "EFORCED" in text or place.lines("drained") < rounds:
            problem = problem or "a drain was forced"
        problem = problem or "\n".join(place.history().miscounts()) or None
        if place.history().refused:
            problem = problem or "a completion was refused"
        expect(f"{rounds} drains under load: nothing lost, nothing refused, "
               "no attempt counted for what was given back", problem)


def wait_to_be_ended():
    """Start workers, say so, and wait for a signal: see leave_nothing()."""
    with Place() as place:
        tracer = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=none")
        place.work()
        place.work(through=tracer)
        place.wait_for("two workers", lambda: place.lines("ready") == 2)
        print("ready", flush=True)
        signal.pause()


def leave_nothing(*command):
    """End a script that has started workers: nothing of it is left.

    A process that is left holds the pipe, so the pipe tells of its end.
    """
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        problem = None
        with tempfile.TemporaryDirectory(prefix="weir-leave-") as scratch:
            os.chmod(scratch, 0o755)
            script = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                      env={**os.environ, "TMPDIR": scratch})
            try:
                if script.stdout.readline() != "ready\n":
                    problem = "it has not started its workers"
                script.send_signal(signum)
                script.communicate(timeout=60)
                if signum != signal.SIGKILL and os.listdir(scratch):
                    problem = f"{os.listdir(scratch)} are left"
            except subprocess.TimeoutExpired:
                problem = "a process holds its pipe"
            finally:
                script.kill()
        expect(f"{signum.name} ends a script and all that it has started",
               problem)


def check_the_checker():
    """Each kind of violation is found."""
    good = ["added 1 0", "claimed 1 1 1 0", "effect 1 1", "done 1 1 OK"]
    for name, lines in {
            "lost": ["added 1 0"],
            "miscounted": ["added 1 0", "claimed 1 1 2 0", "done 1 1 OK"],
            "twice": good + ["done 1 1 OK"],
            "stale": good + ["claimed 1 2 2 0"],
            "order": ["added 1 5", "added 2 5", "claimed 2 1 1 5",
                      "claimed 1 2 1 5", "done 1 2 OK", "done 2 1 OK"],
            "limit": ["added 1 0", "added 2 0", "claimed 1 1 1 0 10",
                      "claimed 2 2 1 0 20", "ending 1 1 30", "ending 2 2 30",
                      "done 1 1 OK", "done 2 2 OK"],
            "invented": good + ["effect 1 9"]}.items():
        history = History(lines)
        found = [*history.violations(), *history.miscounts(),
                 *history.check_concurrency(1)]
        expect(f"the checker finds what is {name}",
               None if any(v.startswith(name) for v in found) else found)
    both = ["added 1 5", "added 2 5", "added 3 5", "claimed 1 1 1 5",
            "claimed 2 2 1 5", "claimed 1 3 2 5", "done 1 3 OK",
            "claimed 3 4 1 5", "done 3 4 OK", "claimed 2 5 2 5", "done 2 5 OK"]
    found = [len(list(History(both).violations(key_limit=limit)))
             for limit in (1, 2)]
    expect("the checker counts the jobs of a key that run at once",
           None if found == [2, 0] else found)
    beat = ["added 1 0", "claimed 1 1 1 0 10", "claimed 1 2 2 0 20",
            "beat 1 1 15 OK", "beat 1 1 25 ELEASE", "done 1 2 OK"]
    found = [len(list(History(lines).violations())) for lines in
             (beat, [*beat, "beat 1 1 25 OK"])]
    expect("the checker finds a progress with a stale token",
           None if found == [0, 1] else found)
    quick = [f"claimed {i} {i} 1 0 {10 * i}" for i in range(1, 7)]
    found = [len(list(History(quick).check_rate([(0, 0), (40, 3)], rate, 50)))
             for rate in (4, 5)]
    expect("the checker finds too many claims in a period",
           None if found == [1, 0] else found)
    keyed = [f"added {i} {1 + i % 2}" for i in range(1, 7)] + quick
    found = [len(list(History(keyed).check_key_rate([(0, 0), (40, 3)], rate, 50)))
             for rate in (1, 2, 3)]
    expect("the checker finds too many claims of a key in a period",
           None if found == [2, 1, 0] else found)
    found = list(History(good).violations())
    expect("the checker accepts a good history", found or None)


def kill_stop_and_drain(jobs, kills, drains):
    kill_at_random(jobs, kills)
    kill_at_random(jobs // 2, kills // 2, key_limit=3)
    keep_limits(max(kills * 40, 200), max(kills // 3, 3))
    kill_at_calls(max(kills // 3, 3))
    stop_past_the_lease(max(kills // 6, 2))
    drain_under_load(drains)


def sizes(*defaults):
    """The numbers of the command line."""
    given = [int(word) for word in sys.argv[1:]]
    return given + list(defaults[len(given):])


def finish():
    """Print the plan.  Returns the status of the program."""
    print(f"1..{number}")
    return 1 if failures else 0


def main():
    end_on_signals()
    if sys.argv[1:] == ["wait"]:
        return wait_to_be_ended()
    print(f"# WEIR_SEED={seed}")
    check_the_checker()
    leave_nothing(sys.executable, __file__, "wait")
    with verdict():
        kill_stop_and_drain(*sizes(300, 6, 5))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
