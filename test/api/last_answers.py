# SPDX-License-Identifier: MIT
"""What clients receive of the servers in examples/ when SIGTERM comes in the
middle of their work.

    python3 test/api/last_answers.py SERVER CLIENTS [ROUNDS [SEED]]

SERVER is jobserver or echo; or net/echo, net/httpd or net/resp, which are built
with test/net/peers/answers/count.c.  CLIENTS is what they do:

    pipeline    send without waiting, and read at once
    slow        all but one send and read nothing before the signal, and then read
                a few bytes at a time through a small window
    never       half of them read nothing at all: some hang up at once, the
                others when everybody else has read, or, in every third round
                of net/, stay; the other half pipeline

In each round a server is started, its clients send until it stops answering, and
the signal goes out when those who read at once have received a random number of
bytes.  Another client keeps connecting until it is refused.  Each client that
reads must get its answers in order, complete, and then the end of the stream,
never a reset; and the server must have answered what they have received, and no
more.  A server of examples/net must have answered this to each of them.  It ends
with 1 if a client stays that has not got everything, and otherwise with 0.  ROUNDS
is 3, or that of the environment; the seed is printed.
"""
import collections
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import echo
import jobserver

DEADLINE = 60  # of a round
READERS = 8
SMALL = 16384  # a window in bytes
REFUSAL = (jobserver.CLOSED + "\n").encode()


class Counted:
    """A server that says itself what it has answered, and ends with 0."""

    most = 5  # bytes are read before the signal, a power of ten
    has_stayers = False
    complaint = {}  # on stderr, by status

    @classmethod
    def judge(cls, each, said, kind):
        """Answered is received."""
        if each.server.process.returncode != 0:
            each.failures.append(f"status {each.server.process.returncode}")
        counts = cls.count.fullmatch(said)
        if counts is None:
            each.failures.append(f"said {said!r}")
            return
        each.answered, each.lost = int(counts[1]), int(counts[2] or 0)
        if each.answered - each.lost != each.received or \
                (each.lost and kind != "never"):
            each.failures.append(f"answered {each.answered}, {each.lost} of "
                                 f"them lost, received {each.received}")


class Jobs(Counted):
    """What is asked of the job server: sums, each with its own answer."""

    count = re.compile(r"jobserver: (\d+) answered"
                       r"(?:, (\d+) of them may be lost)?\n")
    one = b"sum 4\n"

    @staticmethod
    def start():
        return jobserver.Server("3600000")

    @staticmethod
    def piece(number):
        return b"".join(b"sum %d\n" % each
                        for each in range(number * 50, number * 50 + 50))

    @staticmethod
    def check(received):
        """How many answers these are, of those to piece(0), piece(1), ..."""
        lines = received.removesuffix(REFUSAL).split(b"\n")
        assert lines.pop() == b"", f"cut off: {received[-40:]}"
        for number, line in enumerate(lines):
            assert line == b"ok %d" % (number * (number + 1) // 2), \
                f"answer {number} is {line}"
        return len(lines)

    @staticmethod
    def check_one(received):
        assert received in (b"", b"ok 10\n", REFUSAL, b"ok 10\n" + REFUSAL), \
            received
        return int(received.startswith(b"ok"))


class Bytes(Counted):
    """What is sent to the echo server: each piece is different."""

    count = re.compile(r"echo: (\d+) bytes sent back"
                       r"(?:, (\d+) of them may be lost)?\n")
    one = b"hello"

    @staticmethod
    def start():
        return echo.Server("3600000")

    @staticmethod
    def piece(number):
        return (b"%09d " % number) * 40

    @staticmethod
    def check(received):
        sent = b"".join(map(Bytes.piece, range(len(received) // 400 + 1)))
        assert received == sent[:len(received)], "not what was sent"
        return len(received)

    @staticmethod
    def check_one(received):
        assert received in (b"", b"hello"), received
        return len(received)


class NetServer:
    """An example of libweir-net, from its first line to its end."""

    def __init__(self, name):
        self.process = subprocess.Popen(
            [f"build/peers/{name}", "127.0.0.1:0"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line.startswith("listening on "), line
        self.port = int(line.rsplit(":", 1)[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)


class Net:
    """A server whose calls are counted, for each client by itself."""

    most = 6
    has_stayers = True
    complaint = {}

    @classmethod
    def start(cls):
        return NetServer(cls.name)

    @classmethod
    def judge(cls, each, said, kind):
        lines = [tuple(map(int, line.split())) for line in said.splitlines()
                 if not line.startswith("listening on ")]
        sent = collections.Counter({port: size for port, size, _ in lines})
        unread = each.never_read.keys()
        if kind == "never":
            unread = unread | {0}  # a socket that was reset has no port
        for port in (each.bytes.keys() | sent.keys()) - unread:
            if sent[port] != each.bytes[port]:
                each.failures.append(f"port {port}: sent {sent[port]} bytes, "
                                     f"received {each.bytes[port]}")
        answered = cls.answered(lines)
        each.answered = sum(answered.values())
        each.lost = sum(answered[port] for port in unread)
        if each.answered - each.lost != each.received:
            each.failures.append(f"answered {each.answered}, {each.lost} to "
                                 f"who never reads, received {each.received}")
        cls.judge_status(each, sent)

    @classmethod
    def judge_status(cls, each, sent):
        """1 if a client has stayed that has not got everything.  One that
        leaves is not waited for, but on a slow machine it may leave too late."""
        status = each.server.process.returncode
        short = [port for port, arrived in each.never_read.items()
                 if arrived is not None and arrived < sent[port]]
        allowed = {0}
        if short:
            allowed = {1} if each.clients_stay else {0, 1}
            each.forced += each.clients_stay
        if status not in allowed:
            each.failures.append(f"status {status}, not in {allowed}")


class NetEcho(Net):
    name = "echo"
    one, piece = Bytes.one, staticmethod(Bytes.piece)
    check, check_one = staticmethod(Bytes.check), staticmethod(Bytes.check_one)

    @staticmethod
    def answered(lines):
        return collections.Counter({port: size for port, size, _ in lines})


class Http(Net):
    """GET and POST in turn; each body is different."""

    name = "httpd"
    complaint = {1: "httpd: the end was forced: something was cut off\n"}
    one = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    response = re.compile(
        rb"HTTP/1\.1 200 OK\r\n((?:[\w-]+: [^\r\n]*\r\n)*)\r\n")

    @staticmethod
    def piece(number):
        return b"".join(
            Http.one + b"POST /echo HTTP/1.1\r\nHost: x\r\n"
            b"Content-Length: 9\r\n\r\n%09d" % each
            for each in range(number * 5, number * 5 + 5))

    @staticmethod
    def check(received):
        """How many complete responses these are, the last with a close."""
        at = number = 0
        while at < len(received):
            head = Http.response.match(received, at)
            assert head, f"answer {number} is {received[at:at + 200]}"
            size = int(re.search(rb"Content-Length: (\d+)\r\n", head[1])[1])
            body = received[head.end():head.end() + size]
            wanted = b"%09d" % (number // 2) if number % 2 else b"hello\n"
            assert body == wanted, f"answer {number} is {body}"
            at, number = head.end() + size, number + 1
            assert b"Connection: close" not in head[1] or at == len(received), \
                f"more comes after the close in answer {number - 1}"
        return number

    @staticmethod
    def check_one(received):
        answers = Http.check(received)
        assert answers <= 1, received
        return answers

    @staticmethod
    def answered(lines):
        return collections.Counter({port: count for port, _, count in lines})


class Resp(Net):
    """SET, GET and PING, pipelined."""

    name = "resp"
    one = b"*1\r\n$4\r\nPING\r\n"

    @staticmethod
    def answers(number):
        return b"+OK\r\n$9\r\n%09d\r\n+PONG\r\n" % number

    @staticmethod
    def piece(number):
        return b"".join(
            b"*3\r\n$3\r\nSET\r\n$%d\r\n%d\r\n$9\r\n%09d\r\n"
            b"*2\r\n$3\r\nGET\r\n$%d\r\n%d\r\n" %
            (len(str(each)), each, each, len(str(each)), each) + Resp.one
            for each in range(number * 10, number * 10 + 10))

    @staticmethod
    def check(received):
        """How many bytes these are, of whole answers."""
        wanted = b"".join(map(Resp.answers, range(len(received) // 27 + 1)))
        assert wanted.startswith(received), "not the answers"
        rest = len(received) % len(Resp.answers(0))
        assert rest in (0, 5, 20), f"cut off: {received[-40:]}"
        return len(received)

    @staticmethod
    def check_one(received):
        assert received in (b"", b"+PONG\r\n"), received
        return len(received)

    @staticmethod
    def answered(lines):
        return NetEcho.answered(lines)


def bytes_arrived(client):
    """In the kernel: tcpi_bytes_received of linux/tcp.h, with the end."""
    info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 136)
    return int.from_bytes(info[128:], sys.byteorder)


class Round:
    """A server, and all that its clients share."""

    def __init__(self, work, dice, number):
        self.work, self.dice = work, dice
        self.clients_stay = work.has_stayers and number % 3 == 0
        self.server = work.start()
        self.lock = threading.Lock()
        self.until_signal = int(10 ** dice.uniform(0, work.most))  # bytes
        self.to_send = 0  # clients that never read and have not sent everything
        self.is_stopped = threading.Event()
        self.readers = READERS  # that still read
        self.have_read = threading.Event()
        self.has_ended = threading.Event()
        self.answered = self.lost = self.received = self.resets = 0
        self.forced = 0  # servers that had to end with 1
        self.bytes = collections.Counter()  # received, by the client's port
        self.never_read = {}  # by port: bytes that have arrived; None: unknown
        self.failures = []

    def note_bytes(self, count):
        """So many more have come.  The signal goes out at the last that counts."""
        with self.lock:
            self.until_signal -= count
            if self.until_signal <= 0 and self.to_send == 0 and \
                    not self.is_stopped.is_set():
                self.server.stop()
                self.is_stopped.set()

    def note_end(self):
        with self.lock:
            self.readers -= 1
            if self.readers == 0:
                self.have_read.set()

    def note_received(self, client_port, received, count):
        with self.lock:
            self.received += count
            self.bytes[client_port] += len(received)

    def connect(self, receive_bytes=None):
        client = socket.socket()
        if receive_bytes is not None:  # before the window is agreed upon
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                              receive_bytes)
        client.connect(("127.0.0.1", self.server.port))
        return client

    # ---- clients, each on a thread ----

    def pipeline(self, client, is_slow=False):
        """Send and receive at once, until the server has no more to say.

        A slow one sends no more after the signal.  With a small window the
        server's kernel may wait for half of the largest one, while the client's
        announces a little less; and all that arrives puts off the probe that
        ends this, so a client that goes on sending can receive nothing."""
        is_over = threading.Event()
        until = self.is_stopped if is_slow else is_over

        def send():
            number = 0
            try:
                while not until.is_set():
                    client.sendall(self.work.piece(number))
                    number += 1
            except ConnectionError:  # those of net/ linger for a limited time
                if not self.work.has_stayers or not self.is_stopped.is_set():
                    raise

        sender = self.begin(send)
        received = bytearray()
        try:
            if is_slow:
                self.is_stopped.wait()
            begun = last = time.monotonic()
            while piece := client.recv(64 if is_slow else 65536):
                received += piece
                self.note_bytes(len(piece))
                last = time.monotonic()
        except ConnectionError as error:
            raise ConnectionError(
                f"{error}, after {len(received)} bytes in {last - begun:.2f} s, "
                f"{time.monotonic() - last:.2f} s after the last") from error
        finally:
            is_over.set()
            self.note_end()
        sender.join()  # the server takes what is still under way
        client_port = client.getsockname()[1]
        client.close()
        self.note_received(client_port, received,
                           self.work.check(bytes(received)))

    def slow(self, client):
        self.pipeline(client, is_slow=True)

    def never(self, client):
        """Some hang up at once, the others later."""
        with self.lock:
            pieces, is_patient = self.dice.randint(1, 40), self.dice.random() < .5
            client_port = client.getsockname()[1]
            self.never_read[client_port] = None
        for number in range(pieces):  # it all fits the kernel's buffers
            client.sendall(self.work.piece(number))
        with self.lock:
            self.to_send -= 1
        if is_patient:
            (self.has_ended if self.clients_stay else self.have_read).wait()
            self.never_read[client_port] = bytes_arrived(client)
        client.close()

    def knock(self):
        """A client that comes again and again, until nobody answers the door.
        One that is in the kernel's queue when the listener is closed is reset;
        it must not have got anything."""
        while True:
            try:
                client = self.connect()
            except ConnectionRefusedError:
                return
            except ConnectionResetError:  # the listener was closed meanwhile
                with self.lock:
                    self.resets += 1
                continue
            client_port = client.getsockname()[1]
            received = bytearray()
            try:
                client.sendall(self.work.one)
                client.shutdown(socket.SHUT_WR)
                while piece := client.recv(65536):
                    received += piece
            except (ConnectionError, OSError):
                assert not received, f"a reset after {bytes(received)}"
                with self.lock:
                    self.resets += 1
            client.close()
            self.note_received(client_port, received,
                               self.work.check_one(bytes(received)))

    def hear_out(self):
        """What the server says until its end."""
        self.said, self.messages = self.server.process.communicate()
        self.has_ended.set()

    # ---- the round ----

    def begin(self, play, *arguments):
        def run():
            try:
                play(*arguments)
            except BaseException as failure:  # for the main thread
                self.failures.append(f"{play.__name__}: {failure!r}")

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def play(self, kind):
        crowd = [(self.pipeline, self.connect()) for _ in range(READERS)]
        if kind == "slow":
            crowd[1:] = [(self.slow, self.connect(SMALL)) for _ in crowd[1:]]
        elif kind == "never":
            crowd += [(self.never, self.connect(window))
                      for window in (None, 4096) * (READERS // 2)]
            self.to_send = READERS
        threads = [self.begin(self.hear_out)]
        threads += [self.begin(*each) for each in crowd]
        self.is_stopped.wait()
        threads.append(self.begin(self.knock))
        for thread in threads:
            thread.join()
        self.work.judge(self, self.said, kind)
        if self.messages != self.work.complaint.get(
                self.server.process.returncode, ""):
            self.failures.append(self.messages)


def on_alarm(number, frame):
    raise TimeoutError(f"a round is not over after {DEADLINE} s")


def main():
    work = {"jobserver": Jobs, "echo": Bytes, "net/echo": NetEcho,
            "net/httpd": Http, "net/resp": Resp}[sys.argv[1]]
    kind = sys.argv[2]
    rounds = int((sys.argv[3:] or [os.environ.get("ROUNDS", 3)])[0])
    seed = int((sys.argv[4:] or [os.environ.get("WEIR_SEED", os.getpid())])[0])
    dice = random.Random(seed)
    answered = lost = received = resets = failed = forced = 0
    print(f"seed {seed}")
    signal.signal(signal.SIGALRM, on_alarm)
    for number in range(rounds):
        signal.alarm(DEADLINE)
        each = Round(work, dice, number)
        try:
            each.play(kind)
        finally:
            each.server.process.kill()
            each.server.process.wait()
        answered += each.answered
        lost += each.lost
        received += each.received
        resets += each.resets
        forced += each.forced
        failed += bool(each.failures)
        for failure in each.failures:
            print(f"round {number}: {failure}")
    print(f"{sys.argv[1]} {kind}: {rounds} rounds, {answered} answered, "
          f"{received} received, {lost} to clients that never read, "
          f"{resets} reset in the queue, {forced} forced to end, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
