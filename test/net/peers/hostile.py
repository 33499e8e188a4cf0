#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Slow and hostile clients: memory stays bounded, and the others are served.

    test/net/peers/hostile.py [--server NAME|COMMAND] [CHECK ...]

Each check has a server of its own, with short timeouts and low limits.  While
the hostile clients are at work, an ordinary one asks again and again, and must
be answered.  Afterwards the server must have let go of every descriptor.
"""
import argparse
import contextlib
import select
import socket
import ssl
import struct
import threading
import time

import rig

HOST = b"Host: 127.0.0.1\r\n"
GET = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"
TIMEOUT_MS = 600
SHORT = ["--header-timeout-ms", TIMEOUT_MS, "--request-timeout-ms", TIMEOUT_MS,
         "--keep-alive-ms", TIMEOUT_MS]
PATIENCE = 10


class Ordinary(threading.Thread):
    """A client that asks until it is told to stop."""

    def __init__(self, port, connect=None):
        super().__init__(daemon=True)
        self.port = port
        self.failures = 0
        self.slowest = 0.0
        self.asked = 0
        self.over = threading.Event()
        self.ask = connect or (lambda: rig.get(port, seconds=PATIENCE))
        self.start()

    def run(self):
        while self.asked == 0 or not self.over.wait(0.005):
            status, seconds = self.ask()
            self.asked += 1
            self.failures += status != 200
            self.slowest = max(self.slowest, seconds)

    def expect(self, name):
        self.over.set()
        self.join()
        rig.expect(f"{name}: an ordinary client is served meanwhile",
                   self.asked > 0 and not self.failures,
                   f"{self.failures} of {self.asked} failed, "
                   f"the slowest took {self.slowest:.2f} s")


def expect_released(name, target, before):
    """Connections are closed soon after their clients have gone."""
    end = time.monotonic() + PATIENCE
    while target.descriptors() > before and time.monotonic() < end:
        select.select([], [], [], 0.02)
    rig.expect(f"{name}: every descriptor is closed afterwards",
               target.descriptors() <= before,
               f"{before} before, {target.descriptors()} after")


def expect_memory(name, target, before, limit_kib):
    peak = target.memory_kib("VmHWM")
    rig.comment(f"{name}: memory grew from {before} to {peak} KiB")
    rig.expect(f"{name}: memory stays bounded", peak - before < limit_kib,
               f"grew by {peak - before} KiB, allowed are {limit_kib}")


def settle(target):
    """Serve once, so that what is allocated once is there: (fds, KiB)."""
    for _ in range(20):
        rig.get(target.port)
    return target.descriptors(), target.memory_kib("VmHWM")


@contextlib.contextmanager
def serving(command, *options):
    """A server that has to drain when the check is over."""
    with rig.Target(command, *options, "--deadline-ms", 5000, "--idle-ms", 50,
                    "--linger-ms", 300) as target:
        yield target
        target.signal()
        status = target.wait(PATIENCE)
        rig.expect("afterwards: the server drains and exits with 0",
                   status == 0, status, target.errors.read_text()[-3000:])


# ---- slow clients ----

def drip(clients, byte, seconds):
    """Send a byte on each every 50 ms; how many the server has ended."""
    ended = {}
    begun = time.monotonic()
    while len(ended) < len(clients) and time.monotonic() - begun < seconds:
        for client in clients:
            if client in ended:
                continue
            client.send(byte)
            client.fill(0.0005)
            if client.ended:
                ended[client] = client.input[:12]
        select.select([], [], [], 0.05)
    return ended


def slow_clients(name, first, byte, told=408):
    """Clients that send a byte now and then, for ever."""
    def check(command):
        with serving(command, *SHORT) as target:
            before, memory = settle(target)
            ordinary = Ordinary(target.port)
            clients = [rig.Client(target.port).send(first) for _ in range(100)]
            ended = drip(clients, byte, PATIENCE)
            rig.expect(f"{name}: the server ends all of them",
                       len(ended) == len(clients),
                       f"{len(ended)} of {len(clients)}")
            statuses = set(ended.values())
            rig.expect(f"{name}: they are told so, or nothing",
                       statuses <= {b"HTTP/1.1 %d" % told, b""}, statuses)
            ordinary.expect(name)
            for client in clients:
                client.socket.close()
            expect_released(name, target, before)
            expect_memory(name, target, memory, 8 << 10)
    return check


def slow_keep_alive(command):
    """Connections that are idle after a response are closed."""
    name = "idle after a response"
    with serving(command, *SHORT) as target:
        before, _ = settle(target)
        clients = [rig.Client(target.port).send(GET) for _ in range(50)]
        answered = [client.response() for client in clients]
        rig.expect(f"{name}: all are answered", all(answered))
        rig.expect(f"{name}: the server closes all of them",
                   all(client.is_ended(PATIENCE) for client in clients))
        expect_released(name, target, before)
        for client in clients:
            client.socket.close()


# ---- clients that do not read ----

def push(client, data, cap, seconds=2):
    """Send again and again until the server stops reading: bytes sent."""
    client.socket.setblocking(False)
    sent, end = 0, time.monotonic() + seconds
    while sent < cap and time.monotonic() < end:
        if not select.select([], [client.socket], [], 0.3)[1]:
            break
        try:
            sent += client.socket.send(data[sent % len(data):])
        except BlockingIOError:
            continue
        except OSError:
            break
    return sent


def never_reads(command):
    """Large responses that nobody reads."""
    name = "never reads"
    with serving(command) as target:
        before, memory = settle(target)
        ordinary = Ordinary(target.port)
        request = (b"GET /large?bytes=1000000000 HTTP/1.1\r\n" + HOST + b"\r\n")
        clients = [rig.Client(target.port, receive_buffer=4096).send(request)
                   for _ in range(50)]
        for client in clients:
            select.select([client.socket], [], [], PATIENCE)
        select.select([], [], [], 0.5)
        ordinary.expect(name)
        expect_memory(name, target, memory, 50 * 512)
        for client in clients:
            client.reset()
        expect_released(name, target, before)


def write_timeout(command):
    """A response that nobody reads is given up in the end."""
    name = "write timeout"
    with serving(command, "--write-timeout-ms", TIMEOUT_MS) as target:
        before, _ = settle(target)
        request = (b"GET /large?bytes=1000000000 HTTP/1.1\r\n" + HOST + b"\r\n")
        clients = [rig.Client(target.port, receive_buffer=4096).send(request)
                   for _ in range(20)]
        for client in clients:
            select.select([client.socket], [], [], PATIENCE)
        expect_released(name, target, before)
        for client in clients:
            client.socket.close()


def never_reads_while_sending(name, requests):
    """Clients that send as much as they can, and never read an answer."""
    def check(command):
        with serving(command) as target:
            before, memory = settle(target)
            ordinary = Ordinary(target.port)
            clients = [rig.Client(target.port, receive_buffer=4096)
                       for _ in range(4)]
            cap = 64 << 20
            sent = [push(client, requests, cap) for client in clients]
            rig.expect(f"{name}: the server stops reading", max(sent) < cap, sent)
            ordinary.expect(name)
            expect_memory(name, target, memory, 64 << 10)
            for client in clients:
                client.reset()
            expect_released(name, target, before)
    return check


# ---- resets ----

def reset_requests(command):
    """A reset after every byte of a request, of both kinds of bodies."""
    name = "reset in a request"
    sized = (b"POST /echo?a=b HTTP/1.1\r\n" + HOST + b"X-A: b\r\n"
             b"Content-Length: 30\r\n\r\n" + b"x" * 30)
    chunked = (b"POST /echo HTTP/1.1\r\n" + HOST +
               b"Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n"
               b"3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n")
    with serving(command) as target:
        before, memory = settle(target)
        ordinary = Ordinary(target.port)
        offsets = 0
        for data in (sized, chunked, sized + chunked):
            for end in range(len(data) + 1):
                rig.Client(target.port).send(data[:end]).reset()
                offsets += 1
        rig.comment(f"{name}: {offsets} offsets")
        ordinary.expect(name)
        expect_released(name, target, before)
        expect_memory(name, target, memory, 8 << 10)


def reset_responses(command):
    """A reset after every byte of a response, and while it is written."""
    name = "reset in a response"
    last = HOST + b"Connection: close\r\n\r\n"
    stream = b"GET /stream?chunks=3&ms=1 HTTP/1.1\r\n" + last
    large = b"GET /large?bytes=3000000 HTTP/1.1\r\n" + last
    with serving(command) as target:
        before, memory = settle(target)
        ordinary = Ordinary(target.port)
        offsets = 0
        two = GET + b"GET / HTTP/1.1\r\n" + last
        for request, ends in ((two, range(300)),
                              (stream, range(0, 3300, 37)),
                              (large, range(0, 2000000, 61001))):
            for end in ends:
                client = rig.Client(target.port)
                client.send(request)
                while len(client.input) < end and client.fill(PATIENCE):
                    pass
                client.reset()
                offsets += 1
        rig.comment(f"{name}: {offsets} offsets")
        ordinary.expect(name)
        expect_released(name, target, before)
        expect_memory(name, target, memory, 16 << 10)


# ---- many ----

def idle_connections(command):
    """10,000 connections that never send a byte."""
    name = "idle connections"
    limit = rig.raise_descriptors(30000)
    number = min(10000, (limit - 200))
    with serving(command) as target:
        before, memory = settle(target)
        ordinary = Ordinary(target.port)
        clients = []
        for _ in range(number):
            clients.append(socket.create_connection(("127.0.0.1", target.port),
                                                    PATIENCE))
        end = time.monotonic() + PATIENCE
        while (target.descriptors() < number
               and time.monotonic() < end):
            select.select([], [], [], 0.02)
        rig.expect(f"{name}: {number} are open",
                   target.descriptors() >= number,
                   target.descriptors())
        grown = target.memory_kib() - memory
        rig.comment(f"{name}: {grown * 1024 // number} bytes for each")
        ordinary.expect(name)
        expect_memory(name, target, memory, number * 4)
        for client in clients[::100]:
            client.sendall(GET)
        served = sum(client.recv(12) == b"HTTP/1.1 200"
                     for client in clients[::100])
        rig.expect(f"{name}: each can still send a request",
                   served == len(clients[::100]), served)
        for client in clients:
            client.close()
        expect_released(name, target, before)


def beyond_limit(command):
    """More connections than the server admits."""
    name = "beyond the limit"
    with serving(command, "--max-connections", 50) as target:
        before, memory = settle(target)
        clients = [rig.Client(target.port, 2) for _ in range(200)]
        for client in clients:
            client.send(GET)
        answers = [client.response(0.2) for client in clients[:60]]
        served = sum(bool(answer) and answer.status == 200
                     for answer in answers)
        rig.expect(f"{name}: as many as the limit are served",
                   40 <= served <= 60, served)
        rig.expect(f"{name}: no more descriptors than that are open",
                   target.descriptors() < before + 60, target.descriptors())
        for client in clients:
            client.socket.close()
        end, status = time.monotonic() + PATIENCE, None
        while status != 200 and time.monotonic() < end:
            status, _ = rig.get(target.port, seconds=1)
        rig.expect(f"{name}: a client is served once the others have gone",
                   status == 200, status)
        expect_released(name, target, before)
        expect_memory(name, target, memory, 8 << 10)


def connect_storm(command):
    """Connections that are opened and reset at once, by the thousand."""
    name = "connect and reset"
    with serving(command) as target:
        before, memory = settle(target)
        ordinary = Ordinary(target.port)
        for _ in range(3000):
            rig.Client(target.port).reset()
        ordinary.expect(name)
        expect_released(name, target, before)
        expect_memory(name, target, memory, 8 << 10)


# ---- without end ----

def endless(name, first, piece, statuses, limit_kib=8 << 10):
    """A request that never ends; the server has to end it."""
    def check(command):
        with serving(command) as target:
            before, memory = settle(target)
            ordinary = Ordinary(target.port)
            client = rig.Client(target.port).send(first)
            sent = push(client, piece, 256 << 20, PATIENCE)
            answer = client.response(PATIENCE)
            rig.expect(f"{name}: refused with {statuses}",
                       answer and answer.status in statuses,
                       f"{answer and answer.status} after {sent} bytes")
            rig.expect(f"{name}: the connection is ended",
                       client.is_ended(PATIENCE))
            ordinary.expect(name)
            client.socket.close()
            expect_released(name, target, before)
            expect_memory(name, target, memory, limit_kib)
    return check


def open_websocket(port, receive_buffer=None):
    client = rig.Client(port, receive_buffer=receive_buffer)
    client.send(b"GET /ws HTTP/1.1\r\n" + HOST + b"Upgrade: websocket\r\n"
                b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    answer = client.response()
    return client if answer and answer.status == 101 else None


def frame(opcode, data, is_last=True):
    """A masked frame; the mask is 0, so that the data can be repeated."""
    head = bytes([opcode | (0x80 if is_last else 0)])
    size = len(data)
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65536:
        head += bytes([0x80 | 126]) + struct.pack(">H", size)
    else:
        head += bytes([0x80 | 127]) + struct.pack(">Q", size)
    return head + b"\0\0\0\0" + data


def read_close_code(client, seconds):
    """The code of the server's close frame, 0 without one."""
    end = time.monotonic() + seconds
    client.socket.setblocking(True)
    while not client.ended and client.fill(end - time.monotonic()):
        pass
    at, data = 0, client.input
    while at + 2 <= len(data):
        size, skip = data[at + 1] & 127, 2
        if size == 126:
            size, skip = struct.unpack_from(">H", data, at + 2)[0], 4
        if data[at] & 15 == 8:
            return struct.unpack_from(">H", data, at + skip)[0]
        at += skip + size
    return 0


def endless_websocket(name, first, piece, codes):
    def check(command):
        with serving(command) as target:
            before, memory = settle(target)
            client = open_websocket(target.port)
            if not rig.expect(f"{name}: the handshake succeeds", client):
                return
            ordinary = Ordinary(target.port)
            client.send(first)
            sent = push(client, piece, 256 << 20, PATIENCE)
            code = read_close_code(client, PATIENCE)
            rig.expect(f"{name}: closed with {codes}", code in codes,
                       f"{code} after {sent} bytes")
            ordinary.expect(name)
            client.socket.close()
            expect_released(name, target, before)
            expect_memory(name, target, memory, 16 << 10)
    return check


def unread_pings(command):
    """Pings whose pongs are never read."""
    name = "pings, never reads"
    with serving(command) as target:
        before, memory = settle(target)
        client = open_websocket(target.port, receive_buffer=4096)
        if not rig.expect(f"{name}: the handshake succeeds", client):
            return
        ordinary = Ordinary(target.port)
        cap = 64 << 20
        sent = push(client, frame(9, b"x" * 125) * 500, cap)
        rig.comment(f"{name}: {sent} bytes sent")
        ordinary.expect(name)
        expect_memory(name, target, memory, 16 << 10)
        client.reset()
        expect_released(name, target, before)


# ---- TLS ----

def get_over_tls(port):
    """GET on a TLS connection of its own: (status or None, seconds)."""
    context = rig.tls_context()
    begun, status = time.monotonic(), None
    try:
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw, \
                context.wrap_socket(raw) as tls:
            tls.sendall(GET)
            words = tls.recv(65536).split()
            status = int(words[1]) if len(words) > 1 else None
    except OSError:
        pass
    return status, time.monotonic() - begun


def client_hello(port):
    """The first flight of a real client."""
    context = rig.tls_context()
    inside, outside = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(inside, outside).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outside.read()


def stalled_handshakes(command):
    """TLS handshakes that stop at every byte, and one that drips."""
    name = "stalled handshakes"
    certificate, key = rig.make_certificate()
    with serving(command, *SHORT, "--tls-cert", certificate, "--tls-key",
                    key) as target:
        if not rig.expect(f"{name}: an ordinary client is served",
                          get_over_tls(target.port)[0] == 200):
            return
        for _ in range(20):
            get_over_tls(target.port)
        before, memory = target.descriptors(), target.memory_kib("VmHWM")
        ordinary = Ordinary(target.port, lambda: get_over_tls(target.port))
        hello = client_hello(target.port)
        clients = [rig.Client(target.port).send(hello[:end])
                   for end in range(0, len(hello) + 1, 3)]
        clients += [rig.Client(target.port).send(b"\x16\x03\x01\xff\xff")
                    for _ in range(20)]
        rig.expect(f"{name}: the server ends all of them",
                   all(client.is_ended(PATIENCE) for client in clients))
        ordinary.expect(name)
        for client in clients:
            client.socket.close()
        expect_released(name, target, before)
        expect_memory(name, target, memory, 32 << 10)


CHECKS = {
    "slow-header": slow_clients(
        "slow header", b"GET / HTTP/1.1\r\n" + HOST + b"X-Slow: ", b"a"),
    "slow-line": slow_clients("slow request line", b"GET /", b"a"),
    "slow-body": slow_clients(
        "slow body", b"POST /echo HTTP/1.1\r\n" + HOST +
        b"Content-Length: 100000\r\n\r\n", b"a"),
    "slow-chunks": slow_clients(
        "slow chunks", b"POST /echo HTTP/1.1\r\n" + HOST +
        b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "slow-empty": slow_clients("empty lines", b"", b"\r\n", 400),
    "slow-keep-alive": slow_keep_alive,
    "never-reads": never_reads,
    "write-timeout": write_timeout,
    "never-reads-pipeline": never_reads_while_sending(
        "pipelines and never reads", b"POST /echo HTTP/1.1\r\n" + HOST +
        b"Content-Length: 65536\r\n\r\n" + b"x" * 65536),
    "never-reads-small": never_reads_while_sending(
        "small requests, never reads", GET * 1000),
    "reset-requests": reset_requests,
    "reset-responses": reset_responses,
    "idle-connections": idle_connections,
    "beyond-limit": beyond_limit,
    "connect-storm": connect_storm,
    "endless-header": endless(
        "endless header", b"GET / HTTP/1.1\r\n" + HOST, b"X-A: b\r\n" * 1000,
        (400, 431)),
    "endless-line": endless("endless request line", b"GET /", b"a" * 65536,
                            (400, 414, 431)),
    "endless-chunks": endless(
        "endless chunks", b"POST /echo HTTP/1.1\r\n" + HOST +
        b"Transfer-Encoding: chunked\r\n\r\n",
        b"8000\r\n" + b"x" * 32768 + b"\r\n", (413,), 32 << 10),
    "endless-extension": endless(
        "endless chunk extension", b"POST /echo HTTP/1.1\r\n" + HOST +
        b"Transfer-Encoding: chunked\r\n\r\n5;", b"a" * 65536,
        (400, 413, 431)),
    "endless-trailers": endless(
        "endless trailers", b"POST /echo HTTP/1.1\r\n" + HOST +
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-A: b\r\n" * 1000,
        (400, 413, 431)),
    "endless-fragments": endless_websocket(
        "endless fragments", frame(2, b"x", False),
        frame(0, b"x" * 32768, False), (1009,)),
    "endless-empty-fragments": endless_websocket(
        "endless empty fragments", frame(1, b"", False),
        frame(0, b"", False) * 1000, (1008, 1009)),
    "endless-frame": endless_websocket(
        "endless frame", b"\x82\xff" + struct.pack(">Q", 1 << 40) + b"\0" * 4,
        b"x" * 65536, (1009,)),
    "unread-pings": unread_pings,
    "stalled-handshakes": stalled_handshakes,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="weir")
    parser.add_argument("checks", nargs="*")
    given = parser.parse_args()
    rig.raise_descriptors(30000)
    for name in given.checks or CHECKS:
        begun = time.monotonic()
        CHECKS[name](rig.command_of(given.server))
        rig.comment(f"{name} took {time.monotonic() - begun:.1f} s")
    rig.finish()


main()
