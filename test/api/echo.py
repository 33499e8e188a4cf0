# SPDX-License-Identifier: MIT
"""The clients of examples/echo.c: what test/api/examples.sh asks of it.

    python3 test/api/echo.py SCENE

Starts build/echo, plays one scene, and fails if the server does not do what
it promises, or is still there in the end.  Nothing sleeps: each step waits
for what the one before has caused, and DEADLINE ends a scene that hangs.
"""
import array
import fcntl
import os
import pathlib
import random
import resource
import select
import signal
import socket
import subprocess
import sys
import termios
import threading

DEADLINE = 60
ECHO = os.environ.get("ECHO", "build/echo")
SOME = bytes(range(256)) * 1000


class Server:
    """build/echo, from its port line to its end."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [ECHO, "0", *arguments], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line.startswith("echo: port "), line
        self.port = int(line.split()[2])

    def connect(self, receive_bytes=None):
        client = socket.socket()
        if receive_bytes is not None:  # before the window is agreed upon
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                              receive_bytes)
        client.connect(("127.0.0.1", self.port))
        return client

    def stop(self):
        self.process.send_signal(signal.SIGTERM)

    def end(self, status=0):
        """What it said on stderr."""
        messages = self.process.communicate(timeout=DEADLINE)[1]
        assert self.process.returncode == status, \
            f"status {self.process.returncode}: {messages}"
        return messages

    def peak_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024


def receive(client, count):
    data = bytearray()
    while len(data) < count:
        piece = client.recv(count - len(data))
        assert piece, f"the end, after {len(data)} bytes of {count}"
        data += piece
    return bytes(data)


def receive_all(client, step=65536):
    return b"".join(iter(lambda: client.recv(step), b""))


def receive_end(client):
    """The server has no more to say, and waits for us to hang up."""
    rest = client.recv(1)
    assert rest == b"", rest
    client.close()


def wait_until_arrived(client):
    """All that was sent is in the server's kernel."""
    unsent = array.array("i", [1])
    while unsent[0] != 0:
        fcntl.ioctl(client, termios.TIOCOUTQ, unsent)


def is_waiting_to_write(server):
    """Whether some descriptor is watched for EPOLLOUT and not EPOLLIN: there is
    output that the kernel does not take."""
    for info in pathlib.Path(f"/proc/{server.process.pid}/fdinfo").iterdir():
        for line in info.read_text().splitlines():
            if line.startswith("tfd:"):
                events = int(line.split()[3], 16)
                if events & select.EPOLLOUT and not events & select.EPOLLIN:
                    return True
    return False


def has_zero_window(server, client):
    """The client's kernel takes no more, and the server's probes it: its
    timer is of kind 4 in /proc/net/tcp."""
    ends = [f":{server.port:04X}", f":{client.getsockname()[1]:04X}"]
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        field = line.split()
        if [field[1][-5:], field[2][-5:]] == ends:
            return field[5].startswith("04:")
    return False


def clog(server, client, data=SOME):
    """Send, and read nothing, until the server can do no more; how much.
    Each piece is in the server's kernel before the next one goes."""
    sent = 0
    while not (is_waiting_to_write(server) and
               has_zero_window(server, client)):
        client.sendall(data[sent % len(data):][:4000])
        sent += min(4000, len(data) - sent % len(data))
        wait_until_arrived(client)
    return sent


# ---- scenes ----

def one_client(server):
    client = server.connect()
    for text in (b"a", b"line\n", SOME):
        client.sendall(text)
        assert receive(client, len(text)) == text
    client.shutdown(socket.SHUT_WR)
    assert client.recv(1) == b"", "the server hangs up when the client has"
    server.stop()
    server.end()


def many_clients(server):
    clients = [server.connect() for _ in range(50)]
    texts = [random.Random(i).randbytes(10000) for i in range(len(clients))]
    for client, text in zip(clients, texts):
        client.sendall(text[:5000])
    for client, text in reversed(list(zip(clients, texts))):
        client.sendall(text[5000:])
        client.shutdown(socket.SHUT_WR)
    for client, text in zip(clients, texts):
        assert receive_all(client) == text
    server.stop()
    server.end()


def rude_client(server):
    """Hangs up in the middle, with data on the way in both directions."""
    rude, polite = server.connect(4096), server.connect()
    clog(server, rude)
    rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    b"\1\0\0\0\0\0\0\0")  # a reset
    rude.close()
    polite.sendall(SOME)
    assert receive(polite, len(SOME)) == SOME
    server.stop()
    receive_end(polite)
    server.end()


def slow_reader(server):
    """The server keeps what it holds for a client within one buffer."""
    client, other = server.connect(4096), server.connect()
    before = server.peak_bytes()
    sent = clog(server, client)
    other.sendall(SOME)  # and the others do not wait
    assert receive(other, len(SOME)) == SOME

    whole = 16_000_000
    stream = SOME * (whole // len(SOME) + 1)

    def send_rest():
        client.sendall(stream[sent:whole])
        client.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=send_rest, daemon=True)
    sender.start()
    assert receive_all(client, step=1000) == stream[:whole]
    sender.join()
    grown = server.peak_bytes() - before
    assert grown < 4_000_000, f"the server has grown by {grown} bytes"
    server.stop()
    receive_end(other)
    server.end()


def stop_with_idle_client(server):
    client = server.connect()
    client.sendall(b"hello")
    assert receive(client, 5) == b"hello"
    server.stop()
    receive_end(client)
    assert server.end() == ""


def stop_with_data_under_way(server):
    client = server.connect()
    client.sendall(b"hello")
    assert receive(client, 5) == b"hello"
    # While it is frozen, more arrives than it reads at a time.
    server.process.send_signal(signal.SIGSTOP)
    client.sendall(SOME[:50000])
    wait_until_arrived(client)
    server.stop()
    server.process.send_signal(signal.SIGCONT)
    assert receive_all(client) == SOME[:50000]
    client.close()
    assert server.end() == ""


def stop_serves_the_queue_of_the_kernel(server):
    """Clients that were connected, but not accepted, when the signal came."""
    server.process.send_signal(signal.SIGSTOP)
    clients = [server.connect() for _ in range(5)]
    for client in clients:
        client.sendall(b"hello")
        wait_until_arrived(client)
    server.stop()
    server.process.send_signal(signal.SIGCONT)
    for client in clients:
        assert receive_all(client) == b"hello"
        client.close()
    assert server.end() == ""


def is_refused(server):
    try:
        server.connect().close()
    except ConnectionError:
        return True
    return False


def stop_refuses_new_clients(server):
    """While one client keeps it from its end; that one gets everything."""
    client = server.connect(4096)
    sent = clog(server, client)
    server.stop()
    while not is_refused(server):
        pass
    assert receive_all(client) == (SOME * (sent // len(SOME) + 1))[:sent]
    client.close()
    assert server.end() == ""


def stop_runs_into_deadline(server):
    client = server.connect(4096)
    clog(server, client)
    server.stop()
    assert server.end(status=1) == "echo: held by connection, 1 of them\n"


def stop_with_a_client_that_stays(server):
    client = server.connect()
    server.stop()
    assert client.recv(1) == b""
    assert server.end(status=1) == "echo: held by connection, 1 of them\n"


def second_signal_ends_it(server):
    client = server.connect(4096)
    clog(server, client)
    server.stop()
    while not is_refused(server):
        pass
    server.stop()
    assert server.end(status=1) == "echo: held by connection, 1 of them\n"


def no_descriptor_left(server):
    """A crowd that is larger than the limit: some wait, nobody is lost."""
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (16, 16))
    clients = [server.connect() for _ in range(30)]
    for number, client in enumerate(clients):
        client.sendall(b"%02d" % number)
        client.shutdown(socket.SHUT_WR)
    for number, client in enumerate(clients):
        assert receive_all(client) == b"%02d" % number
    server.stop()
    server.end()


SCENES = {scene.__name__: scene for scene in (
    one_client, many_clients, rude_client, slow_reader, stop_with_idle_client,
    stop_with_data_under_way, stop_serves_the_queue_of_the_kernel,
    stop_refuses_new_clients, no_descriptor_left)}
STUCK = {"stop_runs_into_deadline": (stop_runs_into_deadline, "20"),
         "stop_with_a_client_that_stays": (stop_with_a_client_that_stays, "200"),
         "second_signal_ends_it": (second_signal_ends_it, "3600000")}


def on_alarm(number, frame):
    raise TimeoutError(f"not done after {DEADLINE} s")


def main():
    signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(DEADLINE)
    scene, *arguments = STUCK.get(sys.argv[1]) or (SCENES[sys.argv[1]],)
    server = Server(*arguments)
    try:
        scene(server)
    finally:
        server.process.kill()
        server.process.wait()


if __name__ == "__main__":
    main()
