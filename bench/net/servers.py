# SPDX-License-Identifier: MIT
"""The servers that bench/net/run measures: how to start each, and what it has
cost so far.

Every server listens on 127.0.0.1 and is pinned to one core.  Ours and Node's
print the port that they were given; the others get one that was free a moment
before.  All answer "hello, world\n" at /, and those that serve files serve
/files/NAME.
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
DEADLINE_S = 10
HELLO = "hello, world\n"
FILES = {"1k": 1024, "1m": 1024 * 1024}

NGINX = """
user root; worker_processes 1; daemon off; worker_rlimit_nofile 20000;
pid {scratch}/nginx-{port}.pid; error_log {scratch}/nginx.log crit;
events {{ worker_connections 15000; }}
http {{
    access_log off; keepalive_timeout 600; keepalive_requests 1000000000;
    sendfile on; tcp_nopush on; default_type text/plain; {more}
    client_body_temp_path {scratch}/t1; proxy_temp_path {scratch}/t2;
    fastcgi_temp_path {scratch}/t3; uwsgi_temp_path {scratch}/t4;
    scgi_temp_path {scratch}/t5;
    server {{
        listen 127.0.0.1:{port}{tls};
        root {scratch}/root;
        location = / {{ return 200 "hello, world\\n"; }}
    }}
}}
"""
NGINX_TLS = """ ssl; ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate {scratch}/{key}.crt; ssl_certificate_key {scratch}/{key}.key"""

H2O = """
user: root
num-threads: 1
max-connections: 15000
listen: {{host: 127.0.0.1, port: {port}}}
error-log: {scratch}/h2o.log
hosts:
  default:
    paths:
      "/": {{file.dir: {scratch}/hello, file.index: [hello.txt]}}
      "/files": {{file.dir: {scratch}/root/files}}
"""


class Absent(Exception):
    """A server that is not installed or not built."""


class Failed(Exception):
    """A server that does not start, or ends."""


def prepare(scratch):
    """Files to serve, and certificates."""
    for folder in ("root/files", "hello"):
        (scratch / folder).mkdir(parents=True)
    (scratch / "hello" / "hello.txt").write_text(HELLO)
    for name, size in FILES.items():
        (scratch / "root" / "files" / name).write_bytes(b"0123456789abcdef" *
                                                        (size // 16))
    for key, kind in (("ecdsa", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
                      ("rsa", ["rsa:2048"])):
        subprocess.run(["openssl", "req", "-x509", "-nodes", "-days", "30",
                        "-newkey", *kind, "-subj", "/CN=localhost",
                        "-keyout", scratch / f"{key}.key",
                        "-out", scratch / f"{key}.crt"],
                       check=True, stderr=subprocess.DEVNULL)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def version(command, pattern):
    """Of an installed program; None if it is not installed."""
    found = shutil.which(command[0], path=PATH)
    if found is None:
        return None
    answer = subprocess.run([found, *command[1:]], text=True,
                            capture_output=True)
    found = re.search(pattern, answer.stdout + answer.stderr)
    return found[1] if found else "unknown"


def need(program):
    """Its path; daemons are in directories that not every user searches."""
    found = shutil.which(str(program), path=PATH)
    if found is None:
        raise Absent(program)
    return found


# ---- commands: each takes the setting, returns (command, port or None) ----

def built(name, *args):
    def command(setting):
        return [need(setting.programs / name),
                *(arg.format(scratch=setting.scratch) for arg in args)], None
    return command


def example(name, *args):
    def command(setting):
        return [need(setting.build / name),
                *(arg.format(scratch=setting.scratch) for arg in args)], None
    return command


def node(mode, on_weir=False):
    """node.js, by Node or by weir."""
    def command(setting):
        if mode in ("ws", "express") and not (HERE / "node_modules" / mode).is_dir():
            raise Absent(f"npm {mode}")
        program = setting.build / "weir" if on_weir else "node"
        return [need(program), str(HERE / "node.js"), mode], None
    return command


def serve(mode):
    def command(setting):
        return [need(setting.build / "weir"), str(HERE / "serve.mjs"), mode], None
    return command


def nginx(key=None, more=""):
    def command(setting):
        port = free_port()
        tls = NGINX_TLS.format(scratch=setting.scratch, key=key) if key else ""
        file = setting.scratch / f"nginx-{port}.conf"
        file.write_text(NGINX.format(scratch=setting.scratch, port=port,
                                     tls=tls, more=more))
        return [need("nginx"), "-p", str(setting.scratch), "-c",
                str(file)], port
    return command


def h2o(setting):
    port = free_port()
    file = setting.scratch / f"h2o-{port}.conf"
    file.write_text(H2O.format(scratch=setting.scratch, port=port))
    return [need("h2o"), "-m", "worker", "-c", str(file)], port


def redis(setting):
    port = free_port()
    return [need("redis-server"), "--port", str(port), "--bind", "127.0.0.1",
            "--save", "", "--appendonly", "no", "--dir",
            str(setting.scratch)], port


# ---- a running server ----

class Server:
    """Started by its constructor; stop ends it, whatever it does."""
    def __init__(self, command, setting):
        argv, self.port = command(setting)
        self.name = argv[0]
        self.log = (setting.scratch / "server.log").open("ab")
        # It is told to end even if this process is killed.
        self.child = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "taskset", "-c",
             str(setting.server_core), *argv],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log,
            process_group=0, cwd=setting.scratch)
        try:
            if self.port is None:
                self.port = self.read_port()
            self.await_port()
        except Exception:
            self.stop()
            raise

    def read_port(self):
        found = re.search(rb":(\d+)\s*$", self.child.stdout.readline())
        if found is None:
            raise Failed("it prints no port")
        return int(found[1])

    def await_port(self):
        end = time.monotonic() + DEADLINE_S
        while self.child.poll() is None and time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise Failed(f"{self.name} does not listen")

    def pids(self):
        """Its processes: itself, and all below."""
        found, new = [], [self.child.pid]
        while new:
            pid = new.pop()
            found.append(pid)
            for file in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                new += map(int, file.read_text().split())
        return found

    def cost_ns(self):
        """The time that it ran, and the time that it waited for its core."""
        ran = waited = 0
        for pid in self.pids():
            for file in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
                one, other, _ = map(int, file.read_text().split())
                ran, waited = ran + one, waited + other
        return ran, waited

    def resident_bytes(self):
        return sum(int(re.search(r"^Rss:\s+(\d+)",
                                 pathlib.Path(f"/proc/{pid}/smaps_rollup")
                                 .read_text(), re.M)[1]) * 1024
                   for pid in self.pids())

    def stop(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(DEADLINE_S)
            except subprocess.TimeoutExpired:
                print(f"{self.name} did not end in time",
                      file=sys.stderr)
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait()
        self.child.stdout.close()
        self.log.close()
