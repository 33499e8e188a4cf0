#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The programs in examples/net do what the guide says.

    test/net/peers/examples.py

Each case starts a program of the release build, plays a client, sends SIGTERM,
and expects status 0.  The clients are sockets, curl, openssl,
python3-websockets and redis-cli.
"""
import asyncio
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import websockets

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build"))
LIMIT_S = 60  # for anything that should happen at once
cases = failures = 0


class Server:
    """A program that prints its address on its first line."""

    def __init__(self, name, *arguments, is_silent=False):
        self.process = subprocess.Popen(
            [BUILD / "net" / name, *arguments], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = "" if is_silent else self.process.stdout.readline()
        self.url = line.strip()
        port = re.search(r":(\d+)/?$", self.url)
        self.port = int(port[1]) if port else 0

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.process.kill()
        self.process.communicate()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)

    def expect_end(self):
        status = self.process.wait(LIMIT_S)
        assert status == 0, f"status {status}"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), LIMIT_S)


def curl(*arguments):
    return subprocess.run(
        ["curl", "--silent", "--show-error", "--max-time", str(LIMIT_S),
         *arguments], check=True, capture_output=True, text=True).stdout


def receive_all(client):
    data = b""
    while piece := client.recv(65536):
        data += piece
    return data


def expect(sentence, case):
    global cases, failures
    cases += 1
    try:
        case()
        print(f"ok {cases} - {sentence}")
    except Exception as error:  # whatever it is, the other cases go on
        failures += 1
        print(f"not ok {cases} - {sentence}")
        print("\n".join("# " + line for line in repr(error).splitlines()))
    sys.stdout.flush()


# ---- echo ----

def echo_sends_back():
    with Server("echo", "127.0.0.1:0") as server:
        data = os.urandom(4 << 20)  # more than the queues hold
        with server.connect() as client:
            client.setblocking(False)
            sent, received = 0, b""
            while len(received) < len(data):
                readable, writable, _ = select.select(
                    [client], [client] if sent < len(data) else [], [], LIMIT_S)
                assert readable or writable, "nothing moves"
                if writable:
                    sent += client.send(data[sent:sent + 65536])
                if readable:
                    received += client.recv(65536)
            assert received == data
        server.stop()
        server.expect_end()


def echo_stops():
    with Server("echo", "127.0.0.1:0") as server:
        with server.connect() as idle, server.connect() as left, \
                server.connect() as client:
            left.sendall(b"bye")
            left.shutdown(socket.SHUT_WR)
            assert receive_all(left) == b"bye"  # it stays open on this side
            client.sendall(b"last words")
            while len(client.recv(100, socket.MSG_PEEK)) < 10:
                pass  # what the server has not read, it may discard
            server.stop()
            assert receive_all(client) == b"last words"
            assert receive_all(idle) == b""
        server.expect_end()


def echo_is_forced():
    with Server("echo", "127.0.0.1:0") as server:
        with server.connect() as client:
            client.sendall(b"hello")
            assert client.recv(100) == b"hello"
            server.stop()
            assert client.recv(100) == b""  # and it does not hang up
            server.stop()
            assert server.process.wait(LIMIT_S) == 1


def echo_refuses():
    with Server("echo", "127.0.0.1:0") as server:
        other = subprocess.run(
            [BUILD / "net/echo", f"127.0.0.1:{server.port}"],
            capture_output=True, text=True, timeout=LIMIT_S)
        assert other.returncode == 1, other
        assert "Address already in use" in other.stderr, other
        server.stop()
        server.expect_end()


# ---- httpd ----

def httpd_answers(directory):
    path = f"{directory}/httpd"
    with Server("httpd", path, is_silent=True) as server:
        def get(*arguments):
            return curl("--unix-socket", path, "--retry", "100",
                        "--retry-delay", "1", "--retry-all-errors", *arguments)
        assert get("http://weir/") == "hello\n"
        assert get("-d", "some text", "http://weir/echo") == "some text"
        code = ["-o", "/dev/null", "-w", "%{http_code}"]
        assert get(*code, "http://weir/none") == "404"
        assert get(*code, "http://weir/readyz") == "200"
        too_much = pathlib.Path(directory, "too-much")
        too_much.write_bytes(bytes((1 << 20) + 1))
        assert get(*code, "--data-binary", f"@{too_much}",
                   "http://weir/echo") == "413"
        server.stop()
        server.expect_end()


# ---- files ----

def make_certificate(directory, name):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
         f"/CN={name}", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", f"{directory}/{name}.key", "-out",
         f"{directory}/{name}.pem"], check=True, capture_output=True)


def files_are_served(directory):
    root = pathlib.Path(directory, "root")
    root.mkdir()
    (root / "page.html").write_text("<p>0123456789")
    with Server("files", root) as server:
        url = server.url + "page.html"
        assert curl(url) == "<p>0123456789"
        assert curl("--range", "3-5", url) == "012"
        assert "Content-Type: text/html" in curl("--head", url)
        assert curl("-o", "/dev/null", "-w", "%{http_code}", "--path-as-is",
                    server.url + "../httpd") in ("403", "404")
        server.stop()
        server.expect_end()


def files_over_tls(directory):
    for name in "first", "second":
        make_certificate(directory, name)
    root = pathlib.Path(directory, "secure")
    root.mkdir()
    (root / "page.html").write_text("secret")
    chain, key = (pathlib.Path(directory, name) for name in ("pem", "key"))
    shutil.copy(f"{directory}/first.pem", chain)
    shutil.copy(f"{directory}/first.key", key)
    with Server("files", root, "127.0.0.1:0", chain, key) as server:
        def get(name):
            return curl("--cacert", f"{directory}/{name}.pem",
                        f"https://localhost:{server.port}/page.html",
                        "--resolve", f"localhost:{server.port}:127.0.0.1")
        assert server.url.startswith("https:"), server.url
        assert get("first") == "secret"
        for name, path in ("key", key), ("pem", chain):
            os.replace(f"{directory}/second.{name}", path)
        line = ""
        while "was reloaded" not in line:
            line = server.process.stderr.readline()
            assert line, "it has ended"
        shutil.copy(chain, f"{directory}/second.pem")
        assert get("second") == "secret"
        server.stop()
        server.expect_end()


def files_refuse_a_bad_certificate(directory):
    bad = pathlib.Path(directory, "bad.pem")
    bad.write_text("not a certificate\n")
    ended = subprocess.run(
        [BUILD / "net/files", directory, "127.0.0.1:0", bad, bad],
        capture_output=True, text=True, timeout=LIMIT_S)
    assert ended.returncode == 1 and ended.stderr.startswith("files: "), ended


# ---- events ----

def events_end():
    with Server("events") as server:
        client = subprocess.Popen(
            ["curl", "--silent", "--no-buffer", server.url],
            stdout=subprocess.PIPE, text=True)
        assert client.stdout.readline() == "data: 1\n"
        server.stop()
        rest = client.stdout.read()
        assert client.wait(LIMIT_S) == 0, "the response was cut off"
        assert ("data: 1\n" + rest).endswith("\n\n"), rest
        server.expect_end()


def events_of_a_client_that_leaves():
    with Server("events") as server:
        for _ in range(3):
            client = server.connect()
            client.sendall(b"GET / HTTP/1.1\r\nHost: weir\r\n\r\n")
            assert b"200" in client.recv(100)
            client.close()
        server.stop()
        server.expect_end()


# ---- chat ----

async def talk(server):
    room = f"ws://127.0.0.1:{server.port}/room"
    async with websockets.connect(room) as one:
        assert await one.recv() == "1 is here"
        async with websockets.connect(room) as two:
            assert await one.recv() == "2 is here"
            assert await two.recv() == "2 is here"
            await one.send("hello")
            assert await two.recv() == "1: hello"
            assert await one.recv() == "1: hello"
            server.stop()
            for member in one, two:
                await asyncio.wait_for(member.wait_closed(), LIMIT_S)
                assert member.close_code == 1012, member.close_code


def chat_passes_on():
    with Server("chat") as server:
        assert "<title>chat" in curl(server.url)
        asyncio.run(talk(server))
        server.expect_end()


# ---- resp ----

def resp_keeps():
    with Server("resp", "127.0.0.1:0") as server:
        def ask(*words):
            return subprocess.run(
                ["redis-cli", "-p", str(server.port), *words], check=True,
                capture_output=True, text=True, timeout=LIMIT_S).stdout
        assert ask("SET", "key", "value") == "OK\n"
        assert ask("GET", "key") == "value\n"
        assert ask("GET", "none") == "\n"
        server.stop()
        server.expect_end()


def resp_stops():
    with Server("resp", "127.0.0.1:0") as server:
        with server.connect() as left, server.connect() as idle:
            left.shutdown(socket.SHUT_WR)
            assert receive_all(left) == b""  # it stays open on this side
            server.stop()
            assert receive_all(idle) == b""
        server.expect_end()


def main():
    with tempfile.TemporaryDirectory() as directory:
        expect("echo sends back what a client sends", echo_sends_back)
        expect("echo stops after the last bytes of its clients", echo_stops)
        expect("echo ends at a second signal, and fails", echo_is_forced)
        expect("echo says that its port is taken", echo_refuses)
        expect("httpd answers, and drains",
               lambda: httpd_answers(directory))
        expect("files serves a directory, and nothing above it",
               lambda: files_are_served(directory))
        expect("files speaks TLS, and reloads its certificate",
               lambda: files_over_tls(directory))
        expect("files refuses a bad certificate",
               lambda: files_refuse_a_bad_certificate(directory))
        expect("events ends its responses at SIGTERM", events_end)
        expect("events forgets clients that have left",
               events_of_a_client_that_leaves)
        expect("chat passes lines on, and asks members to connect again",
               chat_passes_on)
        expect("resp keeps values", resp_keeps)
        expect("resp stops while a client is leaving", resp_stops)
    print(f"1..{cases}")
    sys.exit(failures != 0)


main()
