# SPDX-License-Identifier: MIT
"""The clients of examples/jobserver.c: what test/api/examples.sh asks of it.

    python3 test/api/jobserver.py SCENE

Starts build/jobserver, plays one scene, and fails if the server does not do
what it promises, or is still there in the end.  Nothing sleeps but the jobs:
each step waits for what the one before has caused, and DEADLINE ends a scene
that hangs.
"""
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import time

import echo

DEADLINE = 60
JOBSERVER = os.environ.get("JOBSERVER", "build/jobserver")
CLOSED = "error closed: no longer admits work"
# The job, its client, and what they are inside of.  Others may be on their way
# out.
REPORT = re.compile(
    r"weir: jobserver is forced to end, with \d+ unfinished:\n"
    r"    job sleep, for \d+ ms, on thread \d+\n"
    r"(?=(    .*\n)*    request)"
    r"(?=(    .*\n)*    descriptor client)")


class Client:
    """A connection, line by line."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.lines = self.socket.makefile("r")

    def ask(self, *requests):
        self.socket.sendall("".join(f"{each}\n" for each in requests).encode())

    def hear(self):
        """The next answer; "" after the last one."""
        return self.lines.readline().rstrip("\n")

    def wait_for(self, status):
        """Until the server says so of itself, time and again."""
        answer = None
        while answer != status:
            self.ask("status")
            answer = self.hear()
            assert answer, f"hung up before {status}"

    def close(self):
        self.lines.close()
        self.socket.close()

    def hear_the_end(self):
        """The server has no more to say, and waits for us to hang up."""
        line = self.hear()
        assert line == "", line
        self.close()


class Server:
    """build/jobserver, from its port line to its end."""

    def __init__(self, deadline_ms):
        self.process = subprocess.Popen(
            [JOBSERVER, "0", deadline_ms], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line.startswith("jobserver: port "), line
        self.port = int(line.split()[2])

    def connect(self):
        return Client(self.port)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)

    def cpu_seconds(self):
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        ticks = stat.rsplit(")", 1)[1].split()[11:13]  # utime, stime
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def end(self, answered, said=""):
        """The drain was clean, and nothing is said but the count."""
        rest, messages = self.process.communicate(timeout=DEADLINE)
        said += rest
        assert self.process.returncode == 0, messages
        assert said == f"jobserver: {answered} answered\n", said
        assert messages == "", messages

    def end_without_a_client(self, said):
        """It did not hang up; the hook was run nevertheless."""
        rest, messages = self.process.communicate(timeout=DEADLINE)
        assert self.process.returncode == 1, messages
        assert rest == f"jobserver: {said}\n", rest
        assert messages == "jobserver: clients that did not hang up: 1\n", \
            messages

    def end_by_force(self):
        """It names the one job that runs; the hook does not."""
        said, messages = self.process.communicate(timeout=DEADLINE)
        assert self.process.returncode == 1, messages
        assert said == "", said
        assert REPORT.match(messages), messages


# ---- scenes ----

def answers(server):
    client = server.connect()
    for request, answer in [
            ("status", "ready"),
            ("sum 0", "ok 0"), ("sum 100", "ok 5050"), ("sleep 1", "ok"),
            ("sum 4000000001", "error expected sleep MS, sum N or status"),
            ("sum -1", "error expected sleep MS, sum N or status"),
            ("sum 1 2", "error expected sleep MS, sum N or status"),
            ("sum", "error expected sleep MS, sum N or status"),
            ("", "error expected sleep MS, sum N or status")]:
        client.ask(request)
        heard = client.hear()
        assert heard == answer, f"{request}: {heard}"
    client.ask("x" * 200)
    assert client.hear() == "error the line is too long"
    client.hear_the_end()
    server.stop()
    server.end(answered=3)


def many_clients(server):
    """Each with many lines at once, more than the server reads at a time."""
    clients = [server.connect() for _ in range(20)]
    for client in clients:
        client.ask(*(f"sum {number}" for number in range(50)))
        client.socket.shutdown(socket.SHUT_WR)
    for client in clients:
        for number in range(50):
            answer = client.hear()
            assert answer == f"ok {number * (number + 1) // 2}", answer
        assert client.hear() == ""
    server.stop()
    server.end(answered=1000)


def rude_client(server):
    """Gone before its answer: the drain waits for its job, and nobody spins."""
    rude, polite = server.connect(), server.connect()
    begin = time.monotonic()
    rude.ask("sleep 1000")
    polite.wait_for("ready sleep")
    rude.lines.close()
    rude.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                           b"\1\0\0\0\0\0\0\0")  # a reset
    rude.socket.close()
    polite.ask("sum 2")
    assert polite.hear() == "ok 3"
    server.stop()
    polite.hear_the_end()
    said = server.process.stdout.readline()
    took = time.monotonic() - begin
    assert took >= 1, f"the hook ran after {took} s, and a job was inside"
    used = server.cpu_seconds()
    assert used < 0.1, f"{used} s of CPU"
    server.end(answered=1, said=said)


def no_descriptor_left(server):
    """A crowd that is larger than the limit: some wait, nobody is lost."""
    pid = server.process.pid
    limit = len(os.listdir(f"/proc/{pid}/fd")) + 8
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, limit))
    clients = [server.connect() for _ in range(30)]
    for client in clients:
        client.ask("sum 3")
        client.socket.shutdown(socket.SHUT_WR)
    for client in clients:
        assert client.hear() == "ok 6"
        assert client.hear() == ""
        client.socket.close()
    server.stop()
    server.end(answered=30)


def drain_with_idle_client(server):
    client = server.connect()
    client.ask("sum 1")
    assert client.hear() == "ok 1"
    server.stop()
    client.hear_the_end()
    server.end(answered=1)


def drain_answers_what_is_inside(server):
    busy, other = server.connect(), server.connect()
    busy.ask("sleep 1000")
    other.wait_for("ready sleep")
    server.stop()
    other.hear_the_end()
    assert busy.hear() == "ok"
    busy.hear_the_end()
    server.end(answered=1)


def is_refused(server):
    """Not connected, or told so."""
    try:
        client = server.connect()
        client.ask("sum 1")
        answer = client.hear()
    except ConnectionError:
        return True
    client.close()
    return answer in ("", CLOSED)


def drain_refuses_what_comes_later(server):
    """A client, and a line behind one that is answered."""
    busy, other, last = server.connect(), server.connect(), server.connect()
    busy.ask("sleep 600000")
    last.ask("sleep 1000", "sum 1", "sum 2")
    other.wait_for("ready sleep sleep")
    server.stop()
    other.hear_the_end()
    while not is_refused(server):
        pass
    assert last.hear() == "ok"
    assert last.hear() == CLOSED
    last.hear_the_end()
    server.stop()
    server.end_by_force()


def drain_serves_the_queue_of_the_kernel(server):
    """Clients that were connected, but not accepted, when the signal came."""
    server.process.send_signal(signal.SIGSTOP)
    clients = [server.connect() for _ in range(5)]
    for client in clients:
        client.ask("sum 1")
    server.stop()
    server.process.send_signal(signal.SIGCONT)
    answers = [client.hear() for client in clients]
    for client, answer in zip(clients, answers):
        assert answer in ("ok 1", CLOSED), answer
        client.hear_the_end()
    server.end(answered=answers.count("ok 1"))


def drain_gives_up_on_a_client_that_stays(server):
    client = server.connect()
    client.ask("sum 1")
    assert client.hear() == "ok 1"
    server.stop()
    assert client.hear() == ""
    server.end_without_a_client("1 answered, 1 of them may be lost")


def drain_gives_up_on_a_client_that_never_reads(server):
    """An empty line is a byte, and its answer is 41."""
    other, client = server.connect(), server.connect()
    echo.clog(server, client.socket, b"\n" * 4000)
    other.close()
    server.stop()
    server.end_without_a_client("0 answered")


def drain_runs_into_deadline(server):
    busy, other = server.connect(), server.connect()
    busy.ask("sleep 600000")
    other.wait_for("ready sleep")
    begin = time.monotonic()
    server.stop()
    server.end_by_force()
    took = time.monotonic() - begin
    assert took >= 0.1, f"{took} s with a deadline of 100 ms"
    assert busy.hear() == ""


def second_signal_forces(server):
    busy, other = server.connect(), server.connect()
    busy.ask("sleep 600000")
    other.wait_for("ready sleep")
    server.stop()
    other.hear_the_end()
    server.stop()
    server.end_by_force()


SCENES = {scene.__name__: scene for scene in (
    answers, many_clients, rude_client, no_descriptor_left,
    drain_with_idle_client, drain_answers_what_is_inside,
    drain_refuses_what_comes_later, drain_serves_the_queue_of_the_kernel,
    drain_gives_up_on_a_client_that_stays,
    drain_gives_up_on_a_client_that_never_reads, drain_runs_into_deadline,
    second_signal_forces)}
# A client that stays has half of it.
DEADLINES_MS = {"drain_gives_up_on_a_client_that_stays": "3000",
                "drain_gives_up_on_a_client_that_never_reads": "3000",
                "drain_runs_into_deadline": "100"}


def on_alarm(number, frame):
    raise TimeoutError(f"not done after {DEADLINE} s")


def main():
    signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(DEADLINE)
    name = sys.argv[1]
    server = Server(DEADLINES_MS.get(name, "3600000"))
    try:
        SCENES[name](server)
    finally:
        server.process.kill()
        server.process.wait()


if __name__ == "__main__":
    main()
