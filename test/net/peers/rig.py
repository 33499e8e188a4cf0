# SPDX-License-Identifier: MIT
"""What the tests against real peers share: TAP, a scratch directory, servers.

Everything that a test starts is stopped when the test ends, even when it fails
or is interrupted.  Servers listen on 127.0.0.1 and on a port that the kernel
chose.  A server under test ("target") is a command that prints "port N" when
it listens, appends "METHOD TARGET BODY_BYTES" to the file given by --log for
every request that it executes, and drains on SIGTERM.
"""
import atexit
import collections
import contextlib
import itertools
import os
import pathlib
import random
import re
import resource
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build"))
BRIEF = "WEIR_BRIEF" in os.environ

NODE = {f"node-{stop}": ["node", str(HERE / "target.js"), "--stop", stop]
        for stop in ("close", "idle", "header")}
EXPRESS = HERE.parents[1] / "npm" / "node_modules" / "express"
LOAD = str(BUILD / "peers" / "load")
TARGET = str(BUILD / "peers" / "target")

scratch = pathlib.Path(tempfile.mkdtemp(prefix="weir-peers-"))
_numbers = itertools.count()
_running = []


def scratch_file(name):
    """A path in the scratch directory that nobody else uses."""
    return scratch / f"{name}-{next(_numbers)}"


def command_of(name):
    """The command of a server that is named, or given as a command line."""
    if name == "weir":
        return [TARGET]
    if name == "serve":
        return [str(BUILD / "weir"), str(HERE / "serve.mjs")]
    if name == "serve-workers":
        return [*command_of("serve"), "--threads", "2"]
    if name == "nodehttp":
        return [str(BUILD / "weir"), str(HERE / "target.js"), "--stop", "drain"]
    if name == "express":
        return [*command_of("nodehttp"), "--express"]
    return NODE.get(name) or name.split()


def _clean():
    for process in list(_running):
        stop(process)
    shutil.rmtree(scratch, ignore_errors=True)


def _interrupted(number, frame):
    sys.exit(1)


atexit.register(_clean)
for _number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(_number, _interrupted)


# ---- TAP ----

_cases = 0
_failures = 0


def comment(text):
    for line in str(text).splitlines():
        print("#", line, flush=True)


def expect(name, holds, *details):
    """Print one case; the details only if it fails."""
    global _cases, _failures
    _cases += 1
    print(f"{'ok' if holds else 'not ok'} {_cases} - {name}", flush=True)
    if not holds:
        _failures += 1
        for detail in details:
            comment(detail)
    return bool(holds)


def skip(name, reason):
    global _cases
    _cases += 1
    print(f"ok {_cases} - {name} # skip {reason}", flush=True)


def finish():
    print(f"1..{_cases}")
    sys.exit(1 if _failures else 0)


def seeded():
    """A random generator whose seed is printed; WEIR_SEED repeats it."""
    seed = int(os.environ.get("WEIR_SEED") or random.randrange(1 << 32))
    comment(f"WEIR_SEED={seed}")
    return random.Random(seed)


def raise_descriptors(wanted):
    """Raise the limit of descriptors, for this process and its children."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


# ---- processes ----

def start(command, last_signal=signal.SIGKILL, **more):
    """Start a process; last_signal ends it, together with its children."""
    process = subprocess.Popen(command, **more)
    process.last_signal = last_signal
    _running.append(process)
    return process


def stop(process):
    if process.poll() is None:
        process.send_signal(process.last_signal)
    process.wait()
    if process.stdout:
        process.stdout.close()
    if process in _running:
        _running.remove(process)


class Target:
    """A running server under test."""

    def __init__(self, command, *options, listener=None, wait=10):
        self.log = scratch_file("log")
        self.log.touch()
        self.errors = scratch_file("errors")
        command = [*command, "--log", str(self.log), *map(str, options)]
        more = {"env": {**os.environ, **_sanitizers()}}
        if listener is not None:
            command = _inherit(command, listener)
            more["pass_fds"] = [listener.fileno()]
        with open(self.errors, "wb") as errors:
            self.process = start(command, stdout=subprocess.PIPE,
                                 stderr=errors, **more)
        self.pid = self.process.pid
        self.port = self._read_port(wait)

    def _read_port(self, wait):
        out, text, end = self.process.stdout, b"", time.monotonic() + wait
        while b"\n" not in text:
            left = end - time.monotonic()
            ready = left > 0 and select.select([out], [], [], left)[0]
            data = os.read(out.fileno(), 4096) if ready else b""
            if not data:
                raise RuntimeError("the server does not say its port: "
                                   + self.errors.read_text())
            text += data
        return int(re.search(rb"port (\d+)", text)[1])

    def wait(self, seconds):
        """The exit status, or None if it is still running."""
        try:
            return self.process.wait(max(seconds, 0))
        except subprocess.TimeoutExpired:
            return None

    def executed(self):
        """What the log says: (method, target, body bytes) in order."""
        lines = self.log.read_bytes().decode("latin-1").splitlines()
        return [tuple(line.rsplit(" ", 2)) if line.count(" ") == 2
                else (line, "", "") for line in lines]

    def executed_ids(self):
        found = re.findall(rb"[?&]id=(\d+)", self.log.read_bytes())
        return collections.Counter(int(one) for one in found)

    def memory_kib(self, field="VmRSS"):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+)", status)[1])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def stop(self):
        stop(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def _sanitizers():
    """Options without which memory and times would be the sanitizers'."""
    more = {"ASAN_OPTIONS": "quarantine_size_mb=4",
            "TSAN_OPTIONS": "atexit_sleep_ms=0"}
    return {name: f"{os.environ.get(name, '')}:{value}"
            for name, value in more.items()}


def _inherit(command, listener):
    """systemd's protocol: descriptor 3, and the process's own number."""
    script = (f'exec 3<&{listener.fileno()}; LISTEN_FDS=1 LISTEN_PID=$$ '
              'exec "$@"')
    return ["sh", "-c", script, "sh", *command]


def listen(backlog=1024):
    """A listening socket on a port that the kernel chose."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(backlog)
    return listener


# ---- TLS ----

def make_certificate():
    key, certificate = scratch / "key.pem", scratch / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-keyout", key, "-out",
                    certificate], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return certificate, key


def tls_context():
    """A client that trusts everybody."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


# ---- reverse proxies ----
# Both inherit their listening socket, so that nobody has to guess a free port.

NGINX = """
daemon off; worker_processes 1; {user}
error_log {own}.log; pid {own}.pid;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    client_body_temp_path {own}.body; proxy_temp_path {own}.proxy;
    fastcgi_temp_path {own}.f; uwsgi_temp_path {own}.u; scgi_temp_path {own}.s;
    upstream target {{ {servers} keepalive 256; }}
    server {{
        listen 127.0.0.1:{port};
        client_max_body_size 10m; keepalive_requests 1000000;
        location / {{
            proxy_pass http://target; proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
    }}
}}
"""

HAPROXY = """
global
    maxconn 4000
defaults
    mode http
    timeout connect 2s
    timeout client 20s
    timeout server 20s
    retries 3
    option redispatch 1
    http-reuse always
frontend front
    bind fd@{fd}
    default_backend target
backend target
{servers}
"""


@contextlib.contextmanager
def _proxy(command, front, **more):
    """The port and the process of a proxy that listens on a socket of ours."""
    process = start(command, pass_fds=[front.fileno()],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    **more)
    port = front.getsockname()[1]
    front.close()  # from now on it is the proxy's alone
    try:
        yield port, process.pid
    finally:
        stop(process)


def nginx(ports):
    """nginx before the first port; the others are used when it fails."""
    front = listen()
    servers = " ".join(f"server 127.0.0.1:{one}{' backup' if i else ''};"
                       for i, one in enumerate(ports))
    user = "user root;" if os.geteuid() == 0 else ""  # scratch is 0700
    config = scratch_file("nginx")
    config.write_text(NGINX.format(own=config, user=user, servers=servers,
                                   port=front.getsockname()[1]))
    return _proxy(["nginx", "-p", str(scratch), "-c", str(config)], front,
                  last_signal=signal.SIGTERM,  # it has a worker
                  env={**os.environ, "NGINX": f"{front.fileno()};"})


def haproxy(ports):
    """The same with haproxy."""
    front = listen()
    servers = "\n".join(f"    server s{i} 127.0.0.1:{one} check inter 60s "
                        "observe layer4 error-limit 1 on-error mark-down"
                        f"{' backup' if i else ''}"
                        for i, one in enumerate(ports))
    config = scratch_file("haproxy")
    config.write_text(HAPROXY.format(fd=front.fileno(), servers=servers))
    return _proxy(["haproxy", "-db", "-q", "-f", str(config)], front)


# ---- a plain client ----

class Client:
    """A connection on which raw bytes are sent and responses are read."""

    def __init__(self, port, timeout=5, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                                   receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.timeout = timeout
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        self.input = b""
        self.ended = None  # "fin" or "reset"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Send all of it; a server that closed is noticed when reading."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            pass
        return self

    def fill(self, seconds):
        """Read some more; False at the end, or when the time is over."""
        if self.ended:
            return False
        self.socket.settimeout(max(seconds, 0.001))
        try:
            data = self.socket.recv(1 << 16)
        except TimeoutError:
            return False
        except OSError:
            data, self.ended = b"", "reset"
        if not data and not self.ended:
            self.ended = "fin"
        self.input += data
        return bool(data)

    def _until(self, mark, end):
        while mark not in self.input:
            if not self.fill(end - time.monotonic()):
                return None
        head, _, self.input = self.input.partition(mark)
        return head

    def _take(self, size, end):
        while len(self.input) < size:
            if not self.fill(end - time.monotonic()):
                return None
        data, self.input = self.input[:size], self.input[size:]
        return data

    def response(self, seconds=None, to_head=False):
        """The next final response, or None if it does not come whole."""
        end = time.monotonic() + (seconds or self.timeout)
        interim = []
        while True:
            head = self._until(b"\r\n\r\n", end)
            if head is None:
                return None
            answer = Response(head, interim)
            if not 100 <= answer.status < 200 or answer.status == 101:
                break
            interim.append(answer.status)
        answer.body = self._read_body(answer, to_head, end)
        return None if answer.body is None else answer

    def _read_body(self, answer, to_head, end):
        if to_head or answer.status in (101, 204, 304):
            return b""
        if "chunked" in answer.field("transfer-encoding").lower():
            return self._read_chunks(end)
        if answer.field("content-length"):
            return self._take(int(answer.field("content-length")), end)
        while self.fill(end - time.monotonic()):
            pass
        body, self.input = self.input, b""
        return body if self.ended == "fin" else None

    def _read_chunks(self, end):
        body = b""
        while True:
            line = self._until(b"\r\n", end)
            if line is None:
                return None
            size = int(line.split(b";")[0], 16)
            if size == 0:
                while line:
                    line = self._until(b"\r\n", end)
                return None if line is None else body
            data = self._take(size + 2, end)
            if data is None:
                return None
            body += data[:-2]

    def is_ended(self, seconds=2):
        """Whether the server ends the connection within that time."""
        end = time.monotonic() + seconds
        while not self.ended and self.fill(end - time.monotonic()):
            pass
        return bool(self.ended)

    def reset(self):
        """Close with RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                               struct.pack("ii", 1, 0))
        self.socket.close()


class Response:
    def __init__(self, head, interim):
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ", 2)
        self.version = words[0]
        self.status = int(words[1])
        self.fields = [tuple(part.strip() for part in line.split(":", 1))
                       for line in lines[1:] if ":" in line]
        self.interim = interim
        self.body = b""

    def field(self, name):
        return ", ".join(value for key, value in self.fields
                         if key.lower() == name)

    def closes(self):
        return (self.version == "HTTP/1.0"
                or "close" in self.field("connection").lower())


def get(port, target="/", seconds=5):
    """GET on a connection of its own: (status or None, seconds it took)."""
    begun = time.monotonic()
    try:
        with Client(port, seconds) as client:
            client.send(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        "Connection: close\r\n\r\n".encode())
            answer = client.response()
    except OSError:
        answer = None
    return answer and answer.status, time.monotonic() - begun
