# SPDX-License-Identifier: MIT
"""What clients receive of examples/jobserver.c and examples/echo.c when SIGTERM
comes in the middle of their work.

    python3 test/api/last_answers.py SERVER CLIENTS [ROUNDS [SEED]]

SERVER is jobserver or echo.  CLIENTS is what they do:

    pipeline    send without waiting, and read at once
    slow        all but one read nothing before the signal, and then a few
                bytes at a time through a small window
    never       half of them read nothing at all and hang up; the others
                pipeline

In each round a server is started, its clients send until it stops answering, and
the signal goes out when those who read at once have received a random number of
bytes.  Another client keeps connecting until it is refused.  Each client that reads must get its answers in order,
complete, and then the end of the stream, never a reset; and the server must have
answered what they have received, and no more.  ROUNDS is 3, or that of the
environment; the seed is printed.
"""
import os
import random
import re
import signal
import socket
import sys
import threading

import echo
import jobserver

DEADLINE = 60  # of a round
READERS = 8
REFUSAL = (jobserver.CLOSED + "\n").encode()


class Jobs:
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


class Bytes:
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


class Round:
    """A server, and all that its clients share."""

    def __init__(self, work, dice):
        self.work, self.dice = work, dice
        self.server = work.start()
        self.lock = threading.Lock()
        self.until_signal = int(10 ** dice.uniform(0, 5))  # bytes
        self.is_stopped = threading.Event()
        self.readers = READERS  # that still read
        self.have_read = threading.Event()
        self.answered = self.lost = self.received = self.resets = 0
        self.failures = []

    def note_bytes(self, count):
        """So many more have come.  The signal goes out at the last that counts."""
        with self.lock:
            self.until_signal -= count
            if self.until_signal <= 0 and not self.is_stopped.is_set():
                self.server.stop()
                self.is_stopped.set()

    def note_end(self):
        with self.lock:
            self.readers -= 1
            if self.readers == 0:
                self.have_read.set()

    def note_received(self, count):
        with self.lock:
            self.received += count

    def connect(self, receive_bytes=None):
        client = socket.socket()
        if receive_bytes is not None:  # before the window is agreed upon
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                              receive_bytes)
        client.connect(("127.0.0.1", self.server.port))
        return client

    # ---- clients, each on a thread ----

    def pipeline(self, client, is_slow=False):
        """Send and receive at once, until the server has no more to say."""
        is_over = threading.Event()

        def send():
            number = 0
            while not is_over.is_set():
                client.sendall(self.work.piece(number))
                number += 1

        sender = self.begin(send)
        received = bytearray()
        try:
            if is_slow:
                self.is_stopped.wait()
            while piece := client.recv(64 if is_slow else 65536):
                received += piece
                self.note_bytes(len(piece))
        finally:
            is_over.set()
            self.note_end()
        sender.join()  # the server takes what is still under way
        client.close()
        self.note_received(self.work.check(bytes(received)))

    def slow(self, client):
        self.pipeline(client, is_slow=True)

    def never(self, client):
        """Some hang up at once, the others when everybody else has read."""
        with self.lock:
            pieces, is_patient = self.dice.randint(1, 40), self.dice.random() < .5
        for number in range(pieces):
            client.sendall(self.work.piece(number))
        if is_patient:
            self.have_read.wait()
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
            self.note_received(self.work.check_one(bytes(received)))

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
            crowd[1:] = [(self.slow, self.connect(4096)) for _ in crowd[1:]]
        elif kind == "never":
            crowd += [(self.never, self.connect()) for _ in range(READERS)]
        threads = [self.begin(*each) for each in crowd]
        self.is_stopped.wait()
        threads.append(self.begin(self.knock))
        for thread in threads:
            thread.join()
        said, messages = self.server.process.communicate()
        self.failures += [messages] if messages else []
        if self.server.process.returncode != 0:
            self.failures.append(f"status {self.server.process.returncode}")
        return said

    def compare(self, said, kind):
        """Answered is received."""
        counts = self.work.count.fullmatch(said)
        if counts is None:
            self.failures.append(f"said {said!r}")
            return
        self.answered, self.lost = int(counts[1]), int(counts[2] or 0)
        if self.answered - self.lost != self.received or \
                (self.lost and kind != "never"):
            self.failures.append(f"answered {self.answered}, {self.lost} of "
                                 f"them lost, received {self.received}")


def on_alarm(number, frame):
    raise TimeoutError(f"a round is not over after {DEADLINE} s")


def main():
    work = {"jobserver": Jobs, "echo": Bytes}[sys.argv[1]]
    kind = sys.argv[2]
    rounds = int((sys.argv[3:] or [os.environ.get("ROUNDS", 3)])[0])
    seed = int((sys.argv[4:] or [os.environ.get("WEIR_SEED", os.getpid())])[0])
    dice = random.Random(seed)
    answered = lost = received = resets = failed = 0
    print(f"seed {seed}")
    signal.signal(signal.SIGALRM, on_alarm)
    for number in range(rounds):
        signal.alarm(DEADLINE)
        each = Round(work, dice)
        try:
            each.compare(each.play(kind), kind)
        finally:
            each.server.process.kill()
            each.server.process.wait()
        answered += each.answered
        lost += each.lost
        received += each.received
        resets += each.resets
        failed += bool(each.failures)
        for failure in each.failures:
            print(f"round {number}: {failure}")
    print(f"{sys.argv[1]} {kind}: {rounds} rounds, {answered} answered, "
          f"{received} received, {lost} to clients that never read, "
          f"{resets} reset in the queue, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
