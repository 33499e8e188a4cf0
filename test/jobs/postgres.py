#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run jobs on a PostgreSQL server of this test's own, and break things.

    postgres.py [JOBS [KILLS [DRAINS]]]

The cases of test/jobs/work run on it, as they do on SQLite.  Then
processes share a store while workers, connections and the server are killed and
stopped, and the history is checked as test/jobs/crash.py does: 150 jobs, 3 kills
and 3 drains by default, 50,000, 150 and 300 in `make verify`.  Prints TAP.
"""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
import crash  # noqa: E402
from crash import ROOT, choose, expect  # noqa: E402
from server import Proxy, Server, Session  # noqa: E402


def make_place(server, directory=None):
    """A class of places whose stores are databases of a server."""
    class PostgresPlace(crash.Place):
        calls = "sendto,recvfrom,write,close,connect"
        made = 0

        def __init__(self):
            super().__init__()
            PostgresPlace.made += 1
            name = f"store{PostgresPlace.made}{'p' if directory else ''}"
            self.session = Session(server.create(name))
            self.store = server.url(name, directory)

        def __exit__(self, *rest):
            super().__exit__(*rest)
            self.session.close()

        def count(self, condition):
            if self.session.ask("SELECT count(*) FROM pg_namespace "
                                "WHERE nspname = 'weir_jobs'") != "1":
                return -1
            return int(self.session.ask("SELECT count(*) FROM weir_jobs.job "
                                        f"WHERE {condition}"))

        def is_writable(self):
            return True  # nobody waits for a row that another one has

        def last_token(self):
            return int(self.session.ask("SELECT CASE WHEN is_called THEN "
                                        "last_value ELSE 0 END "
                                        "FROM weir_jobs.token"))

        def is_empty(self):
            return self.count("id = (SELECT min(id) FROM weir_jobs.job)") == 0
    return PostgresPlace


# ---- one semantics ----

def run_cases(server, names):
    """The cases of SQLite, on this server."""
    url = server.create("cases")
    folder = next(path for build in ("build/asan", "build")
                  if (path := ROOT / build / "test/jobs/work").exists())
    for name in names:
        run = subprocess.run(
            [folder / name], text=True,
            capture_output=True, env={**os.environ, "WEIR_TEST_STORE": url})
        lines = run.stdout.splitlines()
        passed = sum(line.startswith("ok ") for line in lines)
        failed = [line for line in lines if line.startswith("not ok")]
        if run.returncode != 0 or passed == 0:
            failed += [run.stdout, run.stderr]
        expect(f"{passed} cases of test/jobs/work/{name}.c pass on PostgreSQL",
               "\n".join(failed) or None)


def run_script(server):
    """A program in JavaScript says the same on both engines."""
    with tempfile.TemporaryDirectory(prefix="weir-engines-") as scratch:
        said = [subprocess.run(
            [ROOT / "build/weir", ROOT / "test/jobs/engines.mjs", store],
            text=True, timeout=60, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT).stdout
            for store in (f"{scratch}/jobs.db", server.create("script"))]
    expect("a program of weir:jobs says the same on both engines",
           None if said[0] == said[1] and "\n1 60000 {" in said[0]
           else "\n".join(said))


def run_example(server):
    """examples/jobs/three.mjs, as the guide shows it."""
    guide = (ROOT / "docs/guide/jobs.md").read_text()
    shown = guide.split("```text build/weir examples/jobs/three.mjs")[1].split("```")[0]
    run = subprocess.run([ROOT / "build/weir", ROOT / "examples/jobs/three.mjs",
                          server.create("three")], text=True, timeout=60,
                         capture_output=True)
    expect("three processes on a database print what the guide shows",
           None if run.stdout == shown.split("\n", 1)[1] else run)


def open_fails(url, *texts, busy_ms=120000):
    """A process that cannot open its store; returns what is wrong with that."""
    run = subprocess.run([crash.PROCESS, "add", url, "/dev/null", "1", "0"],
                         text=True, capture_output=True, timeout=60,
                         env={**os.environ, "WEIR_TEST_BUSY_MS": str(busy_ms)})
    if run.returncode == 0:
        return "it was opened"
    missing = [text for text in texts if text not in run.stderr]
    if missing or "secret" in run.stderr:
        return run.stderr
    return None


def refuse(server):
    expect("a malformed URL is refused, without its password",
           open_fails("postgres://me:secret@host:port:port/%zz", "malformed"))
    expect("a database that does not exist is named",
           open_fails(server.url("nowhere"), '"nowhere" does not exist'))
    url = server.create("newer")
    session = Session(url)
    session.ask("CREATE SCHEMA weir_jobs; CREATE TABLE weir_jobs.store AS "
                "SELECT true AS one, 99 AS version")
    expect("a store of a newer version is refused",
           open_fails(url, "newer version of weir"))
    expect("and is not changed",
           None if session.ask("SELECT count(*) FROM pg_tables WHERE "
                               "schemaname = 'weir_jobs'") == "1" else "it was")
    with Mute() as mute:
        expect("a server that lets us in and says nothing is given up",
               open_fails(mute.url, "does not answer", busy_ms=100))
    session.ask("CREATE ROLE locked LOGIN PASSWORD 'right'")
    session.close()
    with open(server.data / "pg_hba.conf", "r+") as file:
        rules = file.read()
        file.seek(0)
        file.write("local all locked scram-sha-256\n" + rules)
    server.postmaster.send_signal(signal.SIGHUP)
    wrong = url.replace("postgres@", "locked:secret@")
    crash_deadline = time.monotonic() + 60
    while (problem := open_fails(wrong, "password authentication failed")) and \
            time.monotonic() < crash_deadline:
        time.sleep(0.05)  # until the server has read its rules
    expect("a wrong password is refused, and not printed", problem)
    wait_for_a_slot(server)


def wait_for_a_slot(server):
    """A server that has no slot for a user who has shown a password."""
    url = server.create("slots")
    session = Session(url)
    session.ask("ALTER ROLE locked CONNECTION LIMIT 0; "
                "GRANT CREATE ON DATABASE slots TO locked")
    process = subprocess.Popen(
        [crash.PROCESS, "add", url.replace("postgres@", "locked:right@"),
         "/dev/null", "1", "0"], stderr=subprocess.PIPE, text=True)
    try:
        server.wait_for_log('too many connections for role "locked"', 2)
        session.ask("ALTER ROLE locked CONNECTION LIMIT -1")
        problem = process.communicate(timeout=60)[1]
    finally:
        crash.kill(process)
        session.close()
    expect("too many connections are waited for, with a password as without",
           None if process.returncode == 0 else problem)


class Mute:
    """A server that accepts every user, and answers no query."""

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.peers = []
        port = self.socket.getsockname()[1]
        self.url = f"postgres://me@127.0.0.1:{port}/db?sslmode=disable" \
                   "&gssencmode=disable"
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.socket.close()
        for peer in self.peers:
            peer.close()

    def accept(self):
        try:
            while True:
                peer = self.socket.accept()[0]
                self.peers.append(peer)
                peer.recv(8192)  # the start-up
                peer.sendall(b"R\0\0\0\x08\0\0\0\0"  # welcome
                             b"K\0\0\0\x0c\0\0\0\x01\0\0\0\x02"
                             b"Z\0\0\0\x05I")  # ready
        except OSError:
            return


# Adds a job, and another one when it is told to.
TWO_ADDS = """
import { Jobs } from 'weir:jobs';
const jobs = new Jobs(process.argv[1], { busyTimeout: 500 });
const queue = jobs.queue('q'), how = process.argv[2];
console.log((await queue.add(1)).id);
for await (const _ of process.stdin) {
    const added = queue.add(2).then(() => 'added', (error) => error.code);
    if (how === 'exit')
        setImmediate(() => process.exit(3));
    else
        console.log(await added);
    break;
}
await jobs.close();
"""


def add_two(url, how, between):
    """What the program prints, and its status.  `between` is called between."""
    process = subprocess.Popen(
        [ROOT / "build/weir", "-e", TWO_ADDS, url, how], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        first = process.stdout.readline()
        between()
        rest = process.communicate("now\n", timeout=120)[0]
    finally:
        crash.kill(process)
    return first + rest, process.returncode


def migrate_while_open(server):
    """A newer program has changed the tables: the older one touches nothing."""
    url = server.create("migrated")
    session = Session(url)
    found = add_two(url, "wait", lambda: session.ask(
        "UPDATE weir_jobs.store SET version = 99"))
    count = session.ask("SELECT count(*) FROM weir_jobs.job")
    session.close()
    expect("a store that a newer program migrates is refused from then on",
           None if (found, count) == (("1\nESCHEMA\n", 0), "1")
           else (found, count))


def exit_from_a_mute_server(server):
    url = server.create("mute")
    with Proxy(server) as proxy:
        found = add_two(server.url("mute", proxy.directory), "exit",
                        lambda: setattr(proxy, "is_mute", True))
        expect("process.exit() does not wait for ever for a mute server",
               None if found == ("1\n", 3) else found)
    session = Session(url)
    count = session.ask("SELECT count(*) FROM weir_jobs.job")
    session.close()
    expect("... and what was not answered has happened or not",
           None if count in ("1", "2") else count)


# ---- transactions of users ----

def use_transactions(server):
    """What a transaction adds is there with its commit, not before, not else."""
    with crash.Place() as place:
        worker = place.work(60000)
        place.wait_for("a worker", lambda: place.is_ready(worker))
        place.wait_for("the tables", lambda: place.count("true") >= 0)
        user = Session(place.session.url)
        user.ask("BEGIN")
        user.ask("SELECT weir_jobs.add('q', '5', key => '5', attempts => 1000, "
                 "backoff_ms => 1)")
        # It is neither seen nor waited for by a worker that has other work,
        # even of the same key.
        place.add(20).wait()
        place.wait_for("an empty store", place.is_empty)
        before = place.lines("claimed")
        user.ask("COMMIT")
        place.wait_for("the job of the transaction",
                       lambda: place.lines("claimed") > before)
        place.wait_for("an empty store", place.is_empty)
        user.ask("BEGIN")
        user.ask("SELECT weir_jobs.add('q', '6')")
        user.ask("ROLLBACK")
        expect("a worker is woken by a commit of a user's, and waits for none",
               None if place.is_empty() else "rolled back, and added")
        worker.terminate()
        worker.wait()
        complete_in_transaction(place, user)
        widen_keys(place, user)
        share_schedule(place, user)
        look_for_zones(place, user)
        user.close()


def complete_in_transaction(place, user):
    user.ask("CREATE TABLE effect (job bigint)")
    user.ask("SELECT weir_jobs.add('hand', 'a', key => 'k')")
    user.ask("SELECT weir_jobs.add('hand', 'b', key => 'k')")
    user.ask("SELECT weir_jobs.tidy('{hand}')")
    job, token = user.ask("SELECT id, token FROM "
                          "weir_jobs.claim('hand', 5, 60000, 'me')").split("|")
    user.ask("BEGIN")
    user.ask(f"INSERT INTO effect VALUES ({job})")
    user.ask(f"SELECT weir_jobs.complete({job}, {token})")
    user.ask("ROLLBACK")
    state = user.ask("SELECT state FROM weir_jobs.job WHERE "
                     f"id = {job}") + user.ask("SELECT count(*) FROM effect")
    user.ask("BEGIN")
    user.ask(f"INSERT INTO effect VALUES ({job})")
    user.ask(f"SELECT weir_jobs.complete({job}, {token})")
    user.ask("COMMIT")
    after = user.ask("SELECT count(*) FROM weir_jobs.job WHERE "
                     f"id = {job}") + user.ask("SELECT count(*) FROM effect")
    expect("an effect and its completion are one transaction",
           None if (state, after) == ("10", "01") else (state, after))
    user.ask("BEGIN")
    user.ask(f"INSERT INTO effect VALUES ({job})")
    user.ask(f"SELECT weir_jobs.complete({job}, {token})")
    user.ask("COMMIT")  # of a transaction that has failed
    user.ask("SELECT weir_jobs.tidy('{hand}')")
    rest = user.ask("SELECT count(*) FROM effect") + \
        user.ask("SELECT state FROM weir_jobs.job WHERE queue = 'hand'")
    expect("a stale token undoes the effect, and the next of the key is ready",
           None if rest == "10" else rest)


def widen_keys(place, user):
    """A limit is changed while jobs are left behind by the old one."""
    user.ask("BEGIN")
    for payload in "abc":
        user.ask(f"SELECT weir_jobs.add('wide', '{payload}', key => 'k')")
    user.ask("SELECT weir_jobs.tidy('{}')")
    before = user.ask("SELECT string_agg(state::text, '' ORDER BY id) "
                      "FROM weir_jobs.job WHERE queue = 'wide'")
    other = Session(place.session.url)
    change = threading.Thread(target=lambda: [other.ask(query) for query in (
        "SELECT weir_jobs.set_limits('wide', 0, 0, 1000, 2, 0, 1000)",
        "SELECT weir_jobs.tidy('{}')")])
    change.start()
    place.wait_for("the change of the limit", lambda: place.session.ask(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' "
        "AND NOT granted") == "1")
    user.ask("COMMIT")
    change.join()
    other.close()
    after = user.ask("SELECT string_agg(state::text, '' ORDER BY id) "
                     "FROM weir_jobs.job WHERE queue = 'wide'")
    expect("a wider limit also holds for jobs that are just being added",
           None if (before, after) == ("033", "003") else (before, after))


# ---- schedules ----

def share_schedule(place, user):
    """Of two transactions that look for runs, one gets what is due."""
    user.ask("SELECT weir_jobs.set_schedule('cron', 's', '* * * * *', 'UTC', "
             "0::smallint, 1000, 0, 9, NULL, 1, 1, 0, 0, 'x')")
    other = Session(place.session.url)
    user.ask("BEGIN")
    other.ask("BEGIN")
    runs = "SELECT count(name) FROM weir_jobs.runs()"
    found = [user.ask(runs), other.ask(runs)]
    user.ask("SELECT weir_jobs.fire('cron', 's', 9000000000000)")
    user.ask("COMMIT")
    found.append(other.ask(runs))
    other.ask("COMMIT")
    other.close()
    jobs = user.ask("SELECT count(*) FROM weir_jobs.job WHERE queue = 'cron'")
    expect("a run is given to one of two transactions, and one of 1970 is late",
           None if (found, jobs) == (["1", "0", "0"], "0") else (found, jobs))


def run_schedule(rounds, kills):
    """Workers that hear at the same moment that a run is due add one job."""
    with crash.Place() as place:
        workers = [place.work(60000) for _ in range(3)]
        place.wait_for("workers", lambda: place.lines("ready") == 3)
        ask = place.session.ask
        place.wait_for("the tables", lambda: place.count("true") >= 0)
        ask("SELECT weir_jobs.set_schedule('q', 's', '0 0 1 1 *', 'UTC', "
            "0::smallint, 9000000000000, 0, 1000, NULL, 1, 1, 0, 0, '0')")

        def is_done():
            """A job whose worker was killed need not wait for its lease."""
            owners = ", ".join(f"'process {worker.pid}'" for worker in workers)
            ask("UPDATE weir_jobs.job SET lease_until = 0 WHERE state = 1 AND "
                f"owner NOT IN ({owners}); SELECT weir_jobs.notify('q')")
            return place.is_empty()
        for i in range(rounds):
            ask("UPDATE weir_jobs.schedule SET next_at = weir_jobs.date_ms() / "
                "1000 * 1000; SELECT weir_jobs.notify('q')")
            if i < kills:
                index = choose.randrange(3)
                workers[index].kill()
                workers[index].wait()
                workers[index] = place.work(60000)
            place.wait_for("the run", lambda: ask(
                "SELECT next_at > weir_jobs.date_ms() FROM weir_jobs.schedule")
                == "t")
            place.wait_for("its job", is_done)
        history = place.history()
        problem = "\n".join(history.violations()) or None
        if len(history.claims) != rounds:
            problem = problem or f"{len(history.claims)} jobs"
        expect(f"{rounds} runs of a schedule, three workers, {kills} kills: a "
               "job for each", problem)


# Adds a job when it is told to, until that succeeds.
ADDER = """
import { Jobs } from 'weir:jobs';
const jobs = new Jobs(process.argv[1], { busyTimeout: 2000 });
await jobs.queues();
console.log('ready');
for await (const _ of process.stdin) {
    while (!await jobs.queue('q').add(1).catch((error) => console.log(error.code)))
        ;
    break;
}
await jobs.close();
"""


def lose_runs(server):
    """The connection is lost while a list reads the runs that are due."""
    url = server.create("runs")
    subprocess.run([ROOT / "build/weir", "jobs", url], check=True,
                   stdout=subprocess.DEVNULL)  # makes the tables
    session = Session(url)
    with Proxy(server) as proxy:
        process = subprocess.Popen(
            [ROOT / "build/weir", "-e", ADDER,
             server.url("runs", proxy.directory)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            process.stdout.readline()
            session.ask("SELECT weir_jobs.set_schedule('q', 'lost run', "
                        "'@yearly', 'UTC', 0::smallint, weir_jobs.date_ms() / "
                        "1000 * 1000, 0, 9, NULL, 1, 1, 0, 0, 'x')")
            proxy.stop_at = b"lost run"
            process.stdin.write("now\n")
            process.stdin.flush()
            code = process.stdout.readline()
            # Meanwhile another process runs it.
            session.ask("UPDATE weir_jobs.schedule SET next_at = 9000000000000")
            proxy.is_away = False
            process.communicate(timeout=120)
        finally:
            crash.kill(process)
    found = session.ask("SELECT count(*) || ' ' || count(\"unique\") "
                        "FROM weir_jobs.job")
    session.close()
    expect("runs that a lost connection had read are not added by the next",
           None if (code, found) == ("ESTORE\n", "1 0") else (code, found))


def look_for_zones(place, user):
    """A time that is not a whole second is no run, but a look for the zone."""
    for next_at, zone in ((1001, "Nowhere"), (1000, "UTC")):
        user.ask("SELECT weir_jobs.set_schedule('look', 's', '@daily', "
                 f"'{zone}', 1::smallint, {next_at}, 0, 9, NULL, 1, 1, 0, 0, 'x')")
        user.ask("SELECT weir_jobs.fire('look', 's', 9000000000001)")
    jobs = user.ask("SELECT count(*) FROM weir_jobs.job WHERE queue = 'look'")
    again = user.ask("SELECT weir_jobs.set_schedule('look', 's', '@daily', "
                     "'UTC', 1::smallint, 5000, 0, 9, NULL, 1, 1, 0, 0, 'x')")
    expect("a look for a zone is no run, and does not keep a schedule from one",
           None if (jobs, again) == ("1", "5000") else (jobs, again))


# ---- faults ----

def under_load(jobs, rounds, what, fault, place_class=None, role="add"):
    """Do something terrible while an adder and three workers are at work.

    One that insists adds again what may have been added before.
    """
    with (place_class or crash.Place)() as place:
        adder = place.add(jobs, role=role)
        workers = [place.work() for _ in range(3)]
        for _ in range(rounds):
            seen, more = place.lines("claimed"), choose.randrange(1, 20)
            place.wait_for("claims", lambda: place.lines("claimed") >=
                           seen + more or adder.poll() is not None)
            fault()
        adder.wait()
        problem = place.violations()
        history = place.history()
        if any(worker.poll() is not None for worker in workers):
            problem = problem or "a worker has ended"
        if problem is None and (len(history.keys) != jobs if role == "add"
                                else len(history.keys) < jobs):
            problem = f"{len(history.keys)} of {jobs} jobs"
        expect(f"{jobs} jobs, {rounds} times {what}: {len(history.tokens)} "
               "claims, nothing lost, nothing twice, in order", problem)


def break_things(server, jobs, kills):
    def kill_backend():
        backends = server.backends()
        if backends:
            try:
                os.kill(choose.choice(backends), signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has ended by itself

    def stop_server():
        server.pause()
        time.sleep(3 * crash.LEASE_MS / 1000)  # that long
        server.proceed()

    under_load(jobs, kills, "the server was killed", server.kill)
    under_load(jobs, kills, "a process of the server was killed", kill_backend)
    under_load(jobs, kills, "the server was stopped past the leases",
               stop_server)
    with Proxy(server) as proxy:
        through = make_place(server, proxy.directory)
        under_load(jobs, kills * 2, "all connections were cut", proxy.cut,
                   through)
        under_load(jobs, kills * 2, "answers were lost on the way",
                   lambda: proxy.lose_answers(choose.random() / 10), through)

        def slow_down():
            proxy.pause_s = choose.choice((0.001, 0.02))
            time.sleep(0.5)  # that long
            proxy.pause_s = 0

        fewer = max(kills // 3, 2)  # each takes seconds
        under_load(jobs, fewer, "the connections were slow", slow_down, through)
        os.environ["WEIR_TEST_BUSY_MS"] = "2000"
        under_load(jobs, fewer, "all connections were half open",
                   proxy.half_open, through, role="insist")
        del os.environ["WEIR_TEST_BUSY_MS"]


def main():
    crash.end_on_signals()
    if sys.argv[1:] == ["wait"]:
        with Server() as server:
            crash.Place = make_place(server)
            return crash.wait_to_be_ended()
    jobs, kills, drains = crash.sizes(150, 3, 3)
    is_long = len(sys.argv) > 1
    print(f"# WEIR_SEED={crash.seed}")
    with crash.verdict(), Server() as server:
        crash.Place = make_place(server)
        crash.leave_nothing(sys.executable, __file__, "wait")
        run_cases(server, ("jobs", "schedule", "lease", "drain", "refusals")
                  if is_long else ("jobs", "schedule"))
        run_script(server)
        run_example(server)
        refuse(server)
        migrate_while_open(server)
        exit_from_a_mute_server(server)
        use_transactions(server)
        run_schedule(2 * kills + 6, kills)
        lose_runs(server)
        if is_long:
            crash.kill_stop_and_drain(jobs, kills, drains)
        else:
            crash.kill_at_random(jobs, kills)
            crash.kill_at_random(jobs // 2, 1, key_limit=3)
            crash.keep_limits(120, 2)
            crash.kill_at_calls(1)
            crash.stop_past_the_lease(1)
            crash.drain_under_load(drains)
        break_things(server, jobs, kills)
    return crash.finish()


if __name__ == "__main__":
    sys.exit(main())
