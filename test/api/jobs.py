#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir jobs`: every command and every error, on SQLite and PostgreSQL.

    test/api/jobs.py [WEIR]

What a command has changed is read with sqlite3 and psql.  Prints TAP.
"""
import itertools
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

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
            print("\n".join(f"#   {line}" for line in str(detail).split("\n")[:8]))


def weir(*args, **rest):
    return subprocess.run([WEIR, *map(str, args)], capture_output=True, text=True,
                          timeout=DEADLINE_S, **rest)


class Store:
    def __init__(self, url):
        self.url = str(url)
        self.is_server = self.url.startswith("postgres:")

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
        if self.is_server:
            out = subprocess.run([BIN / "psql", "-XAtq", "-F", "\x1f", "-R", "\x1e", "-d", self.url,
                                  "-c", sql], check=True, capture_output=True, text=True).stdout
            return [row.split("\x1f") for row in out.removesuffix("\n").split("\x1e") if row]
        with sqlite3.connect(self.url) as db:
            return [["" if value is None else str(value) for value in row]
                    for row in db.execute(sql.replace("weir_jobs.", ""))]


# ---- the commands ----

def run_commands(store, engine):
    def expect(name, is_true, *details):
        check(f"{engine}: {name}", is_true, *details)

    done = store.run("add", "mail", '{"to": "ann"}', "--priority=-3", "--delay", 3600000, "--key=k",
                     "--unique=u", "--attempts=4", "--backoff=70", "--backoff-max=90",
                     "--timeout=80", "--keep=forever")
    expect("add prints the id of a new job", done.stdout == "1\n" and done.returncode == 0, done)
    row = store.ask("SELECT queue, state, priority, run_at - added_at, key, \"unique\", attempts, "
                    "backoff_ms, backoff_max_ms, timeout_ms, keep_ms FROM weir_jobs.job")
    expect("... which has its options in the store",
           row == [["mail", "2", "-3", "3600000", "k", "u", "4", "70", "90", "80", "-1"]], row)
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
    before = store.ask("SELECT * FROM weir_jobs.job ORDER BY id")
    found = store.json("bench", 300)
    expect("bench measures", found.get("jobs") == 300 and len(found) == 7 and
           all(number > 0 for number in found.values()), found)
    expect("... and leaves the store as it was",
           store.ask("SELECT * FROM weir_jobs.job ORDER BY id") == before)
    done = store.run("bench", 50)
    expect("bench prints rates and times", done.returncode == 0 and [
        line.split()[-1][-2:] for line in done.stdout.splitlines()] == ["/s"] * 3 + ["ms"] * 2, done)


def refuse(store, engine):
    before = store.ask("SELECT * FROM weir_jobs.job ORDER BY id")
    for what, args, status, text in (
            ("an unknown job", ["show", 999], FAILED, "there is no job 999"),
            ("an unknown dead job", ["retry", 999], FAILED, "there is no dead job 999"),
            ("a job that is not dead", ["retry", 1], FAILED, "there is no dead job 1"),
            ("an unknown unfinished job", ["cancel", 999], FAILED, "no unfinished job 999"),
            ("an unknown queue", ["resume", "nowhere"], FAILED, "there is no queue nowhere"),
            ("an unknown queue to retry", ["retry", "--all", "nowhere"], FAILED, "no queue nowhere"),
            ("a job after one that was never added", ["add", "q", "1", "--after=999999"], FAILED,
             "was never added"),
            ("an id that is no number", ["show", "1x"], BAD_OPTION, "not the id of a job: 1x"),
            ("an id that is too large", ["show", "99999999999999999"], BAD_OPTION, "not the id"),
            ("a bench of no jobs", ["bench", 0], BAD_OPTION, "not a number of jobs: 0"),
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


# ---- moving ----

# A store with jobs in every state but running, and with everything that a job has.
FILL = """
import { Jobs, RetryError, UnrecoverableError } from 'weir:jobs';
const [, store, count] = process.argv;
const jobs = new Jobs(store);
const q = jobs.queue('q "ü" \\x07'), work = jobs.queue('work', { backoff: 1 });
await q.limit({ concurrency: 3, rate: 7, period: 5000 });
await q.pause();
await q.schedule('nightly', { cron: '0 3 * * *', zone: 'Europe/Berlin', missed: 'one',
    data: { all: true }, options: { priority: 4, key: 's', keep: Infinity } });
await jobs.queue('later').addAll(Array(Number(count)).fill({ text: 'é'.repeat(20) }),
    { delay: 86_400_000 });
const first = await q.add(new Uint8Array([0, 1, 255]), { key: 'k"\\\\', priority: -7 });
await q.add('behind', { key: 'k"\\\\', unique: 'u\\n', attempts: 3, timeout: 99 });
const second = await q.add(undefined, { after: [first.id], keep: Infinity });
await q.add(null, { after: [first.id, second.id] });
await jobs.cancel((await q.add(1.5, { runAt: Date.UTC(2100) })).id);
let left = 5;
jobs.on('failed', () => {});
await work.add('die', {});
await work.add('keep', { keep: 86_400_000 });
await work.add('retry', {});
await work.add('gone', {});
await work.add('gone', {});
work.work(async (job) => {
    if (--left === 0)
        jobs.drain();
    if (job.data === 'keep') {
        await job.updateProgress(0.1);
        return { ok: true };
    }
    if (job.data === 'die')
        throw new UnrecoverableError('\\u0001 dead "ü"');
    if (job.data === 'retry')
        throw new RetryError('again', { delay: 86_400_000 });
});
"""
# What both engines have, except leases.
JOBS = ("SELECT id, queue, state, priority, run_at, attempt, attempts, token, coalesce(owner, '-'), "
        "coalesce(key, '-'), coalesce(\"unique\", '-'), waits, backoff_ms, backoff_max_ms, timeout_ms, "
        "keep_ms, progress, added_at, finished_at, coalesce(expires_at, 0), {reason}, {result}, "
        "{payload} FROM weir_jobs.job ORDER BY id")


def rows_of(store):
    """All rows of a store, the same for both engines."""
    def hexed(name):
        return (f"coalesce(encode({name}, 'hex'), '-')" if store.is_server else
                f"lower(coalesce(hex({name}), '-'))")
    reason = ("coalesce(encode(convert_to(reason, 'UTF8'), 'hex'), '-')" if store.is_server else
              "lower(coalesce(hex(reason), '-'))")
    jobs = store.ask(JOBS.format(reason=reason, result=hexed("result"), payload=hexed("payload")))
    for row in jobs:
        row[16] = float(row[16])
        row[21] = row[21] or "-"  # SQLite's hex(NULL) is empty
        row[20] = row[20] or "-"
    return {"jobs": jobs,
            "schedules": store.ask(
                "SELECT queue, name, cron, zone, missed, next_at, priority, attempts, key, "
                "backoff_ms, backoff_max_ms, timeout_ms, keep_ms, " + hexed("payload") +
                " FROM weir_jobs.schedule ORDER BY 1, 2"),
            "needs": store.ask("SELECT needs, job FROM weir_jobs.dependency ORDER BY 1, 2"),
            "queues": store.ask("SELECT name, concurrency, rate, rate_period_ms, "
                                "CASE WHEN is_paused = %s THEN 1 ELSE 0 END FROM weir_jobs.queue "
                                "ORDER BY 1" % ("true" if store.is_server else "1"))}


def last_token(store):
    return int(store.ask("SELECT last_value FROM weir_jobs.token" if store.is_server else
                         "SELECT last_token FROM store")[0][0])


def fill(store, count):
    done = weir("-e", FILL, store.url, count)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def differences(one, two):
    return "\n".join(f"{a}\n{b}"[:600] for name in one for a, b in
                     itertools.zip_longest(one[name], two[name]) if a != b)


def expect_same(name, one, two):
    check(name, one == two and len(one["jobs"]) > 0, differences(one, two))


def export_and_import(scratch, server):
    source, file = Store(scratch / "export.db"), scratch / "jobs.export"
    fill(source, 50)
    rows = rows_of(source)
    states = {row[2] for row in rows["jobs"]}
    check("the store has jobs in all states but running", states == set("0234567"), states)
    done = source.json("export", file)
    check("export tells the number of jobs", done.get("jobs") == len(rows["jobs"]), done)
    check("... and leaves the store as it was", rows_of(source) == rows)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    check("each job is a line of JSON", [line["id"] for line in lines[1:-1]] ==
          [int(row[0]) for row in rows["jobs"]], lines[:2])
    check("the file is its owner's", file.stat().st_mode & 0o777 == 0o600)
    done = source.run("export", file)
    check("a file that exists is not overwritten", done.returncode == FAILED and
          "exists" in done.stderr, done)
    copy, there = Store(scratch / "import.db"), Store(server.create("import"))
    for store in (copy, there):
        done = store.json("import", file)
        engine = "PostgreSQL" if store.is_server else "SQLite"
        check(f"{engine}: import tells number and checksum", done.get("checksum") ==
              lines[-1]["end"]["checksum"], done)
        expect_same(f"{engine}: the jobs are those of the other store", rows_of(store), rows)
        check(f"{engine}: tokens go on", last_token(store) >= last_token(source))
        check(f"{engine}: ids go on", store.json("add", "new", "1")["id"] ==
              int(source.ask("SELECT seq FROM sqlite_sequence WHERE name = 'job'")[0][0]) + 1)
        store.run("cancel", store.json("add", "new", "1")["id"])
    done = copy.run("import", file)
    check("a store that has jobs is refused", done.returncode == FAILED and
          "has jobs of its own" in done.stderr, done)
    back = scratch / "back.export"
    there.run("export", back)
    again = Store(scratch / "again.db")
    again.run("import", back)
    expect_same("what PostgreSQL has exported is the same in SQLite", rows_of(again),
                rows_of(there))
    refuse_files(scratch, server, file.read_text())


def refuse_files(scratch, server, text):
    lines = text.splitlines(True)
    bad = scratch / "bad.export"
    urls = (scratch / "refused.db", server.create("refused"))
    for what, content, message in (
            ("an empty file", "", "it is empty"),
            ("another file", "{}\n", "was not written by weir jobs export"),
            ("a file that was cut off", "".join(lines[:-1]), "its end is missing"),
            ("a file without one of its lines", "".join(lines[:5] + lines[6:]), "checksum differs"),
            ("a line that is not JSON", lines[0] + "{\n" + "".join(lines[1:]), "line 2: "),
            ("a line that is not a job", lines[0] + '{"id":1}\n', "line 2: not a job"),
            ("a line twice", lines[0] + lines[1] + "".join(lines[1:]), "line 3: not in the order"),
            ("a changed job", lines[0] + "".join(lines[1:]).replace(
                '"attempts":10', '"attempts":11', 1), "checksum differs"),
            ("a changed queue", lines[0].replace('"rate":7', '"rate":8') + "".join(lines[1:]),
             "checksum differs")):
        bad.write_text(content)
        for url in urls:
            refuse_url(f"import of {what}", url, FAILED, message, "import", bad)
    refuse_url("import of a missing file", urls[0], FAILED, "there is no file", "import",
               scratch / "none")
    check("... and makes no store", not urls[0].exists())
    refuse_url("export to a missing directory", scratch / "export.db", FAILED, "ENOENT", "export",
               scratch / "none" / "file")
    check("no part of a file is left", not list(scratch.glob("*.part")))


def move(scratch, server):
    source, there = Store(scratch / "move.db"), Store(server.create("moved"))
    fill(source, 3000)
    rows, token = rows_of(source), last_token(source)
    refuse_url("a move to SQLite", source.url, BAD_OPTION, "moves to a postgres:// URL", "move",
               scratch / "other.db")
    refuse_url("a move to a database that does not exist", source.url, FAILED, "does not exist",
               "move", server.url("nowhere"))
    kills = interrupt_moves(source, there, rows)
    done = source.json("move", there.url)
    check(f"a move that was killed {kills} times goes on", done.get("jobs") == len(rows["jobs"]), done)
    expect_same("all jobs are there, as they were", rows_of(there), rows)
    check("tokens grow from where they were", last_token(there) >= token)
    done = source.json("move", there.url)
    check("a second move finds that nothing is left to do", done.get("jobs") == len(rows["jobs"]) and
          rows_of(there) == rows, done)
    refuse_url("the store that has moved", source.url, FAILED, "the store has moved")
    refuse_url("its move to another database", source.url, FAILED, "have moved to another database",
               "move", server.create("another"))
    there.run("add", "work", '"more"')
    done = there.work("work", 1)
    check("workers go on there", done.returncode == 0 and not there.ask(
        "SELECT 1 FROM weir_jobs.job WHERE queue = 'work' AND state < 2"), done)
    full = Store(scratch / "full.db")
    full.run("add", "q", "1")
    refuse_url("a move to a store that has jobs", full.url, FAILED, "has jobs of its own", "move",
               there.url)
    check("... and the store can be used as before", full.json("add", "q", "1").get("id") == 2)


def interrupt_moves(source, there, rows):
    """Kill moves at random.  Returns how many were killed."""
    seed = int(os.environ.get("WEIR_SEED", time.time_ns() % 10 ** 6))
    print(f"# WEIR_SEED={seed}", flush=True)
    random.seed(seed)
    kills, problems = 0, []
    for i in range(6):
        process = subprocess.Popen([WEIR, "jobs", source.url, "move", there.url],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        signum = signal.SIGINT if i == 0 else signal.SIGKILL
        try:
            process.wait(random.uniform(0.02, 0.5))
        except subprocess.TimeoutExpired:
            process.send_signal(signum)
            kills += process.wait(DEADLINE_S) != 0
        moved = there.ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'weir_jobs' "
                          "AND tablename = 'job'") == [["1"]] and rows_of(there)["jobs"]
        if moved and (moved != rows["jobs"] or source.run().returncode == 0):
            problems.append(f"{len(moved)} of {len(rows['jobs'])} jobs are there")
        if rows_of(source) != rows:
            problems.append("the source has changed")
    check("a move that is killed has moved all jobs or none, and never leaves them in two stores",
          not problems, problems)
    return kills


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
    for url in ("postgres://me:secret/x@host/db", "postgres://me:12/secret@host/db?host=/none",
                "postgres://me:x@secret@host/db", "postgres://me:secret/db"):
        refuse_url(f"a password that ends the URL early ({url})", url, FAILED, "malformed")
    refuse_url("a port that is out of range, perhaps a password", "postgres://me:65536/db", FAILED,
               "malformed")
    done = weir("jobs", "postgres://me:p%2Fw%40@127.0.0.1:1,127.0.0.1:65535/db?connect_timeout=1")
    check("a password with %2F and %40, and several ports, are a URL", done.returncode == FAILED and
          "malformed" not in done.stderr and "p%2Fw" not in done.stderr, done)
    for url in ("postgres:me:secret@host/db", "postgresql:secret", "Postgres:/me:secret@host"):
        refuse_url(f"a URL without its slashes ({url})", url, BAD_OPTION,
                   "a URL of PostgreSQL begins with postgres://", "add", "q", "1")
        refuse_url(f"a move there ({url})", scratch / "a.db", BAD_OPTION,
                   "a URL of PostgreSQL begins with postgres://", "move", url)
    refuse_url("a missing file", scratch / "none.db", FAILED, "there is no such file")
    for uri in (f"file:{scratch}/none.db", f"file://{scratch}/none.db?cache=private",
                f"file:{scratch}/n%6fne.db#x"):
        refuse_url(f"its URI ({uri.removeprefix('file:').replace(str(scratch), '')})", uri, FAILED,
                   "there is no such file")
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
        export_and_import(scratch, server)
        move(scratch, server)
        refuse_urls(scratch, server)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
