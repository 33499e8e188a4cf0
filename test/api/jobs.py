#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir jobs`: every command and every error, on SQLite and PostgreSQL.

    test/api/jobs.py [WEIR]

What a command has changed is read with sqlite3 and psql.  Prints TAP.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "jobs"))
from server import BIN, Server  # noqa: E402

WEIR = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                       os.environ.get("WEIR_BUILD", str(ROOT / "build")) + "/weir")
DEADLINE_S = 120
FAILED, BAD_OPTION = 1, 9
# Handles the jobs of a queue: "die" makes a dead letter of a job.
WORKER = """
import { Jobs, UnrecoverableError } from 'weir:jobs';
const [, store, name, count] = process.argv;
const jobs = new Jobs(store);
let left = Number(count);
jobs.on('failed', () => {});
jobs.queue(name).work(async (job) => {
    if (--left === 0)
        jobs.drain();
    if (job.data === 'die')
        throw new UnrecoverableError('it died \\x1b[31mred');
    return { was: job.data };
});
"""
results = []


def check(name, is_true, *details):
    results.append(bool(is_true))
    print(f"{'' if is_true else 'not '}ok {len(results)} - {name}", flush=True)
    if not is_true:
        for detail in details:
            print("\n".join(f"#   {line}" for line in str(detail).split("\n")[:40]))


def weir(*args, **rest):
    return subprocess.run([WEIR, *map(str, args)], capture_output=True, text=True,
                          timeout=DEADLINE_S, **rest)


class Store:
    def __init__(self, url):
        self.url = str(url)

    def run(self, *args, **rest):
        return weir("jobs", self.url, *args, **rest)

    def json(self, *args):
        done = self.run(*args, "--json")
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {"status": done.returncode, "stderr": done.stderr}

    def work(self, queue, count):
        return weir("-e", WORKER, self.url, queue, count)

    def ask(self, sql):
        """The rows of a query, as lists of strings."""
        if self.url.startswith("postgres:"):
            out = subprocess.run([BIN / "psql", "-XAtq", "-F", "\x1f", "-d", self.url, "-c", sql],
                                 check=True, capture_output=True, text=True).stdout
            return [line.split("\x1f") for line in out.splitlines()]
        with sqlite3.connect(self.url) as db:
            return [["" if value is None else str(value) for value in row]
                    for row in db.execute(sql.replace("weir_jobs.", ""))]


# ---- the commands ----

def run_commands(store, engine):
    def expect(name, is_true, *details):
        check(f"{engine}: {name}", is_true, *details)

    done = store.run("add", "mail", '{"to": "ann"}', "--priority=-3", "--delay", 3600000, "--key=k",
                     "--unique=u", "--attempts=4", "--backoff=70", "--timeout=80", "--keep=forever")
    expect("add prints the id of a new job", done.stdout == "1\n" and done.returncode == 0, done)
    row = store.ask("SELECT queue, state, priority, run_at - added_at, key, \"unique\", attempts, "
                    "backoff_ms, timeout_ms, keep_ms FROM weir_jobs.job")
    expect("... which has its options in the store",
           row == [["mail", "2", "-3", "3600000", "k", "u", "4", "70", "80", "-1"]], row)
    found = store.json("add", "mail", "1", "--unique=u")
    expect("add with the same --unique finds it", found == {"id": 1, "isNew": False}, found)
    found = store.json("add", "mail", "[1, 2]", "--run-at=2100-01-01T00:00:00Z")
    expect("add --json prints JSON", found == {"id": 2, "isNew": True} or found["isNew"], found)
    second = found["id"]
    found = store.json("show", second)
    expect("show --json has the data and the date",
           found.get("data") == [1, 2] and found["runAt"] == "2100-01-01T00:00:00.000Z" and
           found["state"] == "scheduled" and found["queue"] == "mail", found)
    third = store.json("add", "mail", '"die"', "--after", second)["id"]
    expect("add --after waits", store.json("show", third)["state"] == "waiting")
    done = store.run("cancel", second)
    expect("cancel cancels a job, and those that wait for it", done.returncode == 0 and
           [store.json("show", id)["state"] for id in (second, third)] == ["cancelled"] * 2, done)
    dead = [store.json("add", "crash", '"die"')["id"] for _ in range(3)]
    kept = store.json("add", "crash", '"live"', "--keep=3600000")["id"]
    done = store.work("crash", 4)
    found = store.json("show", dead[0])
    expect("show has the reason of a dead job", found["state"] == "dead" and
           "it died" in found["reason"] and "\n    at " in found["reason"], found, done)
    done = store.run("show", dead[0])
    expect("show prints it for people, without control characters", done.returncode == 0 and
           "dead" in done.stdout and "it died ?[31mred" in done.stdout and
           "\x1b" not in done.stdout, done)
    expect("show has the result of a job that is kept",
           store.json("show", kept).get("result") == {"was": "live"}, store.json("show", kept))
    found = {queue["name"]: queue for queue in store.json()}
    expect("the list has depth, failures and states", found["crash"]["failures"] == 3 and
           found["crash"]["depth"] == 0 and found["crash"]["jobs"]["done"] == 1 and
           found["mail"]["depth"] == 1 and found["mail"]["jobs"]["cancelled"] == 2, found)
    expect("retry retries one job", store.json("retry", dead[0]) == {"retried": 1} and
           store.json("show", dead[0])["state"] == "ready")
    expect("retry --all retries the others", store.json("retry", "--all", "crash") ==
           {"retried": 2} and store.json("retry", "--all", "crash") == {"retried": 0})
    found = {queue["name"]: queue for queue in store.json("list")}
    expect("the list has the oldest job", found["crash"]["oldest"].startswith("20") and
           found["crash"]["depth"] == 3, found)
    expect("pause is kept by the store", store.json("pause", "crash") ==
           {"name": "crash", "paused": True} and store.json()[0]["paused"] is True)
    done = store.run()
    expect("the list is a table", done.returncode == 0 and
           done.stdout.split("\n")[0].split() == ["QUEUE", "DEPTH", "RUNNING", "DELAYED", "FAILED",
                                                  "OLDEST", "LIMIT"] and
           "crash" in done.stdout and "paused" in done.stdout, done)
    expect("resume lets it go on", store.run("resume", "crash").returncode == 0 and
           store.json()[0]["paused"] is False)


def refuse(store, engine):
    before = store.ask("SELECT * FROM weir_jobs.job ORDER BY id")
    for what, args, status, text in (
            ("an unknown job", ["show", 999], FAILED, "there is no job 999"),
            ("an unknown dead job", ["retry", 999], FAILED, "there is no dead job 999"),
            ("a job that is not dead", ["retry", 1], FAILED, "there is no dead job 1"),
            ("an unknown unfinished job", ["cancel", 999], FAILED, "no unfinished job 999"),
            ("an unknown queue", ["resume", "nowhere"], FAILED, "there is no queue nowhere"),
            ("an unknown queue to retry", ["retry", "--all", "nowhere"], FAILED, "no queue nowhere"),
            ("a job after one that was never added", ["add", "q", "1", "--after=999"], FAILED,
             "was never added"),
            ("an id that is no number", ["show", "1x"], BAD_OPTION, "not the id of a job: 1x"),
            ("an id that is too large", ["show", "99999999999999999"], BAD_OPTION, "not the id"),
            ("invalid JSON", ["add", "q", "{to: 1}"], BAD_OPTION, "not JSON"),
            ("a queue without a name", ["add", "", "1"], BAD_OPTION, "'name'"),
            ("a missing operand", ["add", "q"], BAD_OPTION, "usage: weir jobs URL add QUEUE JSON"),
            ("too many operands", ["pause", "q", "r"], BAD_OPTION, "usage: weir jobs URL pause"),
            ("an unknown command", ["frob"], BAD_OPTION, "there is no command frob"),
            ("a command of Object", ["constructor"], BAD_OPTION, "no command constructor"),
            ("an unknown option", ["list", "--frob"], BAD_OPTION, "bad option: --frob"),
            ("an option of another command", ["show", 1, "--key=k"], BAD_OPTION,
             "--key is not an option of show"),
            ("an option without its value", ["add", "q", "1", "--key"], BAD_OPTION,
             "needs a value: --key"),
            ("a number that is none", ["add", "q", "1", "--delay=soon"], BAD_OPTION,
             "--delay must be a number: soon"),
            ("a number out of range", ["add", "q", "1", "--delay=-1"], BAD_OPTION, "--delay"),
            ("a priority that is no integer", ["add", "q", "1", "--priority=0.5"], BAD_OPTION,
             "--priority"),
            ("a date that is none", ["add", "q", "1", "--run-at=soon"], BAD_OPTION,
             "--run-at must be a date"),
            ("a delay and a date", ["add", "q", "1", "--delay=1", "--run-at=2100-01-01"], BAD_OPTION,
             "--run-at")):
        done = store.run(*args)
        check(f"{engine}: {what} is refused", done.returncode == status and text in done.stderr and
              done.stdout == "", done)
    check(f"{engine}: ... and nothing has changed",
          store.ask("SELECT * FROM weir_jobs.job ORDER BY id") == before)


# ---- URLs ----

def refuse_url(what, url, status, text, *args):
    done = weir("jobs", url, *args)
    check(f"{what} is refused", done.returncode == status and text in done.stderr and
          done.stdout == "" and "secret" not in done.stderr, done)


def refuse_password(server):
    rules = server.data / "pg_hba.conf"
    url = server.create("locked")
    Store(url).ask("CREATE ROLE locked LOGIN PASSWORD 'right'")
    rules.write_text("local all locked scram-sha-256\n" + rules.read_text())
    server.kill()  # it reads its rules when it starts
    refuse_url("a wrong password", url.replace("postgres@", "locked:secret@"), FAILED,
               "password authentication failed")


def refuse_urls(scratch, server):
    done = weir("jobs")
    check("a missing URL is refused", done.returncode == BAD_OPTION and
          "the URL is missing" in done.stderr, done)
    refuse_url("an empty URL", "", BAD_OPTION, "the URL is empty")
    refuse_url("a URL of another database", "mysql://me:secret@host/db", BAD_OPTION,
               "nor a postgres:// URL: mysql://host/db")
    refuse_url("a malformed URL", "postgres://me:secret@host:port:port/%zz", FAILED, "malformed")
    refuse_url("a password with all kinds of characters", "postgres://me:se/cret?secret@host", FAILED,
               "weir jobs: postgres://")
    refuse_url("a password in a parameter", "postgres://127.0.0.1/%zz?user=a@b&password=secret",
               FAILED, "weir jobs: postgres://")
    refuse_url("a missing file", scratch / "none.db", FAILED, "there is no such file")
    check("... and it is not made", not (scratch / "none.db").exists())
    refuse_url("a file in a missing directory", scratch / "none" / "a.db", FAILED,
               "a.db: unable to open database file", "add", "q", "1")
    refuse_url("a directory", scratch, FAILED, "unable to open database file")
    (scratch / "text").write_text("This is not a database." * 100)
    refuse_url("a file that is not a database", scratch / "text", FAILED, "not a database")
    with sqlite3.connect(scratch / "other.db") as db:
        db.execute("CREATE TABLE other (x)")
    refuse_url("a database of another program", scratch / "other.db", FAILED, "another program")
    refuse_url("a database that does not exist", server.url("nowhere"), FAILED,
               '"nowhere" does not exist')
    refuse_password(server)
    (scratch / "file").write_text("1")
    done = weir("--key=k", scratch / "file")
    check("options of jobs are refused elsewhere", done.returncode == BAD_OPTION and
          "need `weir jobs`" in done.stderr, done)


def print_help():
    done = weir("jobs", "--help")
    check("--help lists commands and options", done.returncode == 0 and all(
        word in done.stdout for word in ("usage: weir jobs", "add QUEUE JSON", "--priority=N",
                                         "--json", "exit status")), done)
    done = weir("--man-page")
    check("and so does the man page", "add QUEUE JSON" in done.stdout and
          "\\-\\-priority=N" in done.stdout, done)


def main():
    with tempfile.TemporaryDirectory(prefix="weir-jobs-") as path, Server() as server:
        scratch = pathlib.Path(path)
        print_help()
        for store, engine in ((Store(scratch / "a.db"), "SQLite"),
                              (Store(server.create("commands")), "PostgreSQL")):
            run_commands(store, engine)
            refuse(store, engine)
        refuse_urls(scratch, server)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
