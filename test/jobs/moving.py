#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Export, import and move jobs when something is in the way.

    test/jobs/moving.py [NAME...]

test/api/jobs.py moves stores that are at rest.  Here transactions of users are half
done, other processes hold locks or open the file, and the command is killed.
NAME is a
function of TESTS.  Prints TAP.
"""
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from crash import ROOT, expect, finish, verdict  # noqa: E402
from ending import end_on_signals, end_with_parent  # noqa: E402
from server import Server, Session  # noqa: E402

WEIR = os.environ.get("WEIR_BUILD", str(ROOT / "build")) + "/weir"
DEADLINE_S = 120
MARKED = 1000003
BUSY_JOBS, BUSY_INCOMING = (
    f"BEGIN; LOCK TABLE weir_jobs.{table} IN SHARE MODE" for table in ("job", "incoming"))
# Runs what there is for a queue, until it has nothing to do.
WORKER = """
import { Jobs } from 'weir:jobs';
const jobs = new Jobs(process.argv[1]);
const queue = jobs.queue(process.argv[2]);
queue.work((job) => { console.log(job.data); });
for (let left = 1; left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const { ready, running, scheduled, behind, waiting } = (await queue.stats()).jobs;
    left = ready + running + scheduled + behind + waiting;
}
await jobs.close();
"""
# A schedule and a queue, and no job.
SETTINGS = """
import { Jobs } from 'weir:jobs';
const jobs = new Jobs(process.argv[1]), name = process.argv[2];
await jobs.queue(name).schedule(name, { cron: '@daily', data: 1 });
await jobs.close();
"""


def weir(*args, **rest):
    try:
        return subprocess.run([WEIR, *map(str, args)], capture_output=True, text=True,
                              timeout=DEADLINE_S, **rest)
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(error) from error


def jobs(url, *args, **rest):
    return weir("jobs", url, *args, **rest)


def add(url, count=1):
    for _ in range(count):
        done = jobs(url, "add", "mail", "1")
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
    return int(done.stdout)


def sqlite(path, sql):
    """The values of the rows, in one list."""
    db = sqlite3.connect(path, timeout=30)
    try:
        return [value for row in db.execute(sql) for value in row]
    finally:
        db.close()


def start(*args):
    return subprocess.Popen([WEIR, "jobs", *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=end_with_parent)


def wait_for(what, condition):
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.01)


def is_waiting(session, query="%transfer%"):
    """Whether a process waits for a lock on the server."""
    return session.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                       f"AND query LIKE '{query}' AND pid <> pg_backend_pid()") != "0"


def failed(done, *texts, status=1):
    """What is wrong with a command that should have failed."""
    return None if done.returncode == status and all(text in done.stderr for text in texts) else done


def equal(found, wanted):
    return None if found == wanted else f"{found}, not {wanted}"


# ---- what is exported ----

def go_on_in_sqlite(scratch, server):
    """What PostgreSQL has not done yet for other jobs is done by the import."""
    url = server.create("later")
    jobs(url)
    user, other = Session(url), Session(url)
    user.ask("SELECT weir_jobs.add('mail', '\"first of a key\"', key => 'k')")
    user.ask("SELECT weir_jobs.add('mail', '\"second of a key\"', key => 'k')")
    user.ask("SELECT weir_jobs.add('mail', '\"done elsewhere\"')")
    user.ask("SELECT weir_jobs.add('mail', '\"after it\"', after => '{3}')")
    user.ask("SELECT weir_jobs.add('mail', '\"after it, with a key\"', after => '{3}', key => 'l')")
    user.ask("UPDATE weir_jobs.job SET state = 1, attempt = 1, "
             "token = nextval('weir_jobs.token') WHERE id = 3")
    user.ask("SELECT weir_jobs.complete(3, 1)")
    user.ask("SELECT weir_jobs.add('mail', '\"cancelled\"')")
    user.ask("BEGIN")  # which the one that cancels does not see
    user.ask("SELECT weir_jobs.add('mail', '\"after a cancelled one\"', after => '{6}')")
    user.ask("SELECT weir_jobs.add('mail', '\"after that\"', after => '{7}', keep_ms => -1)")
    other.ask("SELECT weir_jobs.cancel(6)")
    user.ask("COMMIT")
    jobs(url, "export", scratch / "later.export")
    done = jobs(scratch / "later.db", "import", scratch / "later.export")
    states = sqlite(scratch / "later.db", "SELECT state FROM job ORDER BY id")
    expect("jobs that waited for nothing any more go on in SQLite",
           equal(states[:4], [2, 3, 2, 2]) and (states, done))
    expect("those that waited for a cancelled one are cancelled",
           equal(states[4:], [7, 7, 7]) and states)
    expect("... and kept as long as others",
           equal(sqlite(scratch / "later.db", "SELECT expires_at IS NULL FROM job WHERE id > 6"),
                 [0, 1]))
    done = weir("-e", WORKER, scratch / "later.db", "mail")
    expect("a worker runs them", equal(sorted(done.stdout.splitlines()), [
        "after it", "after it, with a key", "first of a key", "second of a key"]))
    user.close()
    other.close()


def export_large_jobs(scratch, server):
    """Pages of an export have so many bytes, not so many jobs."""
    url = server.create("large")
    jobs(url)
    user = Session(url)
    user.ask("SELECT count(weir_jobs.add('mail', decode(repeat('20', 1000000), 'hex'))) "
             "FROM generate_series(1, 20)")
    user.ask("SELECT weir_jobs.add('mail', decode(repeat('20', 17000000), 'hex'))")
    page = int(user.ask("SELECT octet_length(weir_jobs.transfer('export', '0'))"))
    expect("a page of an export has no more than 16 MiB of jobs",
           None if page < 36_000_000 else f"{page} bytes")
    done = jobs(url, "export", scratch / "large.export")
    with open(scratch / "large.export") as file:
        ids = [int(line[6:line.index(",")]) for line in file if line.startswith('{"id":')]
    expect("all pages are there, that of a larger job too", equal(ids, list(range(1, 22))) and done)
    os.unlink(scratch / "large.export")
    user.close()


def keep_ids(scratch, server):
    """Ids go on from where they were in either store."""
    url = server.create("used")
    for _ in range(5):
        jobs(url, "cancel", add(url))
    user = Session(url)
    user.ask("DELETE FROM weir_jobs.job")
    jobs(url, "export", scratch / "ids.export")
    jobs(scratch / "ids.db", "import", scratch / "ids.export")
    expect("the last id is exported, even if its job is gone", equal(add(scratch / "ids.db"), 6))
    add(scratch / "one.db")
    jobs(scratch / "one.db", "move", url)
    expect("a move into a store that has had more jobs uses no id again", equal(add(url), 6))
    user.close()


def tell_stores_apart(scratch, server):
    url = server.create("settings")
    for name in ("nightly", "invoices"):
        weir("-e", SETTINGS, scratch / f"{name}.db", name)
        jobs(scratch / f"{name}.db", "move", url)
    user = Session(url)
    expect("stores without jobs have other schedules",
           equal(user.ask("SELECT string_agg(name, ' ' ORDER BY name) FROM weir_jobs.schedule"),
                 "invoices nightly"))
    user.close()
    url = server.create("twice")
    add(scratch / "twice.db", 2)
    jobs(scratch / "twice.db", "export", scratch / "twice.export")
    done = jobs(url, "import", scratch / "twice.export")
    expect("a file is imported", None if done.returncode == 0 else done)
    expect("a second import says that nothing has changed",
           failed(jobs(url, "import", scratch / "twice.export"), "imported there before",
                  "nothing has changed"))


# ---- files ----

def follow_links(scratch, _):
    add(scratch / "source.db")
    jobs(scratch / "source.db", "export", scratch / "source.export")
    (scratch / "folder").mkdir()
    (scratch / "folder/real.db").touch()
    (scratch / "link.db").symlink_to("folder/real.db")
    for name, url, file in (("a symbolic link", scratch / "link.db", scratch / "folder/real.db"),
                            ("a file: URL", f"file:{scratch}/uri.db", scratch / "uri.db")):
        done = jobs(url, "import", scratch / "source.export")
        expect(f"an import through {name} succeeds",
               (done if done.returncode != 0 else None) or
               equal(sqlite(file, "SELECT count(*) FROM job"), [1]))
    (scratch / "forged.db-wakeup").symlink_to("source.db")
    done = jobs(scratch / "forged.db", "import", scratch / "source.export")
    expect("a wakeup file that is a link to another file is not written", failed(done, "symbolic link"))


def wait_without_stacks(scratch, _):
    """A lock that others hold for long is nothing that blocks a program."""
    add(scratch / "busy.db")
    db = sqlite3.connect(scratch / "busy.db", isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    process = start(scratch / "busy.db", "move", "postgres:///%zz")
    time.sleep(2)  # that long
    db.execute("ROLLBACK")
    db.close()
    stderr = process.communicate(timeout=DEADLINE_S)[1]
    expect("a wait for a lock prints no stacks",
           equal([line[:10] for line in stderr.splitlines()], ["weir jobs:"]) and stderr)


def fill_the_disk(scratch, _):
    add(scratch / "full.db")
    for args in ([], ["--json"], ["show", 1]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([WEIR, "jobs", scratch / "full.db", *map(str, args)], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S)
        expect(f"what cannot be printed is one line: {args}",
               failed(done, "weir jobs: stdout: ", "ENOSPC") or
               (done if done.stderr.count("\n") != 1 else None))


# ---- moves that are interrupted ----

class Blocked:
    """A move to a server where somebody holds a lock."""

    def __init__(self, scratch, server, name, lock):
        self.path, self.url = scratch / f"{name}.db", server.create(name)
        jobs(self.url)
        add(self.path, 2)
        self.other, self.user = Session(self.url), Session(self.url)
        self.other.ask(lock)
        self.process = start(self.path, "move", self.url)
        wait_for("the move to wait", lambda: is_waiting(self.user))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.other.close()
        self.user.close()

    @property
    def is_marked(self):
        return sqlite(self.path, "PRAGMA user_version") == [MARKED]

    def kill(self):
        """... so that the server has noticed, too."""
        self.process.kill()
        self.process.wait()
        self.other.ask("COMMIT")
        wait_for("the end of its transaction", lambda: not is_waiting(self.user) and self.user.ask(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'weir'") == "0")


def open_during_a_move(scratch, server):
    """A process that waits for the file gets it when it has been marked."""
    with Blocked(scratch, server, "opened", BUSY_INCOMING) as move:
        reader = start(move.path)
        wait_for("the reader", lambda: os.path.exists(f"/proc/{reader.pid}/task/{reader.pid}") and
                 is_sleeping_in_sqlite(reader.pid))
        barrier = Session(move.url)
        barrier.ask("BEGIN; LOCK TABLE weir_jobs.moved IN SHARE MODE")
        move.other.ask("COMMIT")
        wait_for("the mark", lambda: move.is_marked)
        done = reader.communicate(timeout=DEADLINE_S)[1]
        expect("a process that waited for the file is told that it has moved",
               None if "the store has moved" in done else done)
        place = move.user.ask("SELECT id FROM weir_jobs.place")
        expect("... and leaves the mark alone",
               equal(sqlite(move.path, "SELECT boot FROM store"), [place]))
        move.process.kill()
        move.process.wait()
        barrier.close()
        done = jobs(move.path, "move", move.url)
        expect("the move goes on", (done if done.returncode != 0 else None) or
               equal(move.user.ask("SELECT count(*) FROM weir_jobs.job"), "2"))
        expect("a store that has moved is not exported",
               failed(jobs(move.path, "export", scratch / "moved.export"), "the store has moved"))


def is_sleeping_in_sqlite(pid):
    """Whether it has the file open, and waits for its lock."""
    try:
        names = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        calls = [pathlib.Path(f"/proc/{pid}/task/{task}/wchan").read_text()
                 for task in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return False
    return any(name.endswith(".db-shm") for name in names) and \
        any("nanosleep" in call for call in calls)


def go_on_after_others(scratch, server):
    """Killed after the mark; and then somebody uses the new store."""
    with Blocked(scratch, server, "early", BUSY_JOBS) as move:
        wait_for("the mark", lambda: move.is_marked)
        move.kill()
        expect("a move that is killed before its last step leaves a mark",
               None if move.is_marked else "none")
        add(move.url)
        expect("a move to a store that has got a job is refused",
               failed(jobs(move.path, "move", move.url), "has jobs of its own"))
        done = jobs(move.path, "add", "mail", "1")
        expect("... and the file can be used again", None if done.stdout == "3\n" else done)


def interrupt(scratch, server):
    """Ctrl-C while the server does not answer."""
    with Blocked(scratch, server, "patient", BUSY_INCOMING) as move:
        move.process.send_signal(signal.SIGINT)
        line = move.process.stderr.readline()
        expect("the first Ctrl-C says what it does",
               None if line == "weir jobs: ending after this step; once more ends it now\n" else line)
        move.process.send_signal(signal.SIGINT)
        try:
            status = move.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired as error:
            status = error
        expect("the second one ends the command, as a shell says with the status 130",
               equal(status, -signal.SIGINT))
        expect("... and the file is not marked", "it is" if move.is_marked else None)
        move.other.ask("COMMIT")
        done = jobs(move.path, "move", move.url)
        expect("and can be run again", None if done.returncode == 0 else done)


TESTS = (go_on_in_sqlite, export_large_jobs, keep_ids, tell_stores_apart, follow_links,
         wait_without_stacks, fill_the_disk, open_during_a_move, go_on_after_others, interrupt)


def main():
    end_on_signals()
    with verdict(), tempfile.TemporaryDirectory(prefix="weir-moving-") as path, Server() as server:
        scratch = pathlib.Path(path)
        for test in TESTS:
            if test.__name__ in sys.argv[1:] or len(sys.argv) == 1:
                test(scratch, server)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
