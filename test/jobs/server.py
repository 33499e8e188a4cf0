# SPDX-License-Identifier: MIT
"""A PostgreSQL server of a test's own, and a proxy before it that loses things.

The server lives in a scratch directory and listens on a Unix socket there.  It
refuses to run as root, so root starts it as another user.
"""
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from ending import end_with_parent, enter_network

BIN = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"),
          default=pathlib.Path("/usr/bin"))
SOCKET = ".s.PGSQL.5432"


class Server:
    """It listens on addresses of a network namespace, too, if these are given."""

    def __init__(self, addresses=(), namespace=None):
        self.addresses, self.namespace = addresses, namespace
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="weir-pg-"))
        self.path.chmod(0o755)
        self.data, self.socket = self.path / "data", self.path / "socket"
        self.user = "postgres" if os.geteuid() == 0 else None
        for folder in (self.data, self.socket):
            folder.mkdir()
            if self.user:
                shutil.chown(folder, self.user)
        self.postmaster = None
        try:
            self.create_cluster()
            self.start()
        except BaseException:
            self.__exit__()
            raise

    def create_cluster(self):
        self.run(BIN / "initdb", "-D", self.data, "-U", "postgres", "-A",
                 "trust", "-E", "UTF8", "--no-sync")
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"listen_addresses = '{','.join(self.addresses)}'\n"
                       f"unix_socket_directories = '{self.socket}'\n"
                       "max_connections = 60\n"
                       "shared_buffers = 32MB\n")
        with open(self.data / "pg_hba.conf", "a") as file:
            for address in self.addresses:
                file.write(f"host all all {address}/24 trust\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.postmaster is not None and self.postmaster.poll() is None:
            self.proceed()
            self.postmaster.send_signal(signal.SIGQUIT)
            self.postmaster.wait()
        shutil.rmtree(self.path)

    def become(self):
        """What a child does to become the server's user, and to end with us."""
        entry = self.user and pwd.getpwnam(self.user)

        def change():
            if self.namespace:
                enter_network(self.namespace)
            if entry:
                os.setgroups([])
                os.setgid(entry.pw_gid)
                os.setuid(entry.pw_uid)
            end_with_parent(signal.SIGQUIT)
        return change

    def run(self, *command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       cwd=self.path, preexec_fn=self.become())

    def start(self):
        """Start the server, and wait until it serves."""
        deadline = time.monotonic() + 120
        self.log = open(self.path / "log", "ab")
        while True:
            # Processes of a server that was killed may still be there.
            if self.postmaster is None or self.postmaster.poll() is not None:
                self.postmaster = subprocess.Popen(
                    [BIN / "postgres", "-D", self.data], stdout=self.log,
                    stderr=self.log, cwd=self.path, preexec_fn=self.become())
            if self.is_serving():
                return
            if time.monotonic() > deadline:
                raise TimeoutError((self.path / "log").read_text()[-2000:])
            time.sleep(0.05)

    def wait_for_log(self, text, count):
        """Wait until the server has logged a text that often."""
        deadline = time.monotonic() + 60
        while self.count_log(text) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the server has not logged: {text}")
            time.sleep(0.01)

    def count_log(self, text):
        return (self.path / "log").read_text().count(text)

    def is_serving(self):
        return subprocess.run(
            [BIN / "pg_isready", "-q", "-h", self.socket]).returncode == 0

    def processes(self):
        """The postmaster and its children."""
        pid = self.postmaster.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
        return [pid, *map(int, children.read_text().split())]

    def backends(self):
        """The processes that serve a connection of database `name`."""
        found = []
        for pid in self.processes()[1:]:
            try:
                title = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if b"postgres: postgres" in title:
                found.append(pid)
        return found

    def kill(self):
        """Kill everything, as a power failure does, and start it again."""
        self.signal_all(signal.SIGKILL)
        self.postmaster.wait()
        self.start()

    def pause(self):
        self.signal_all(signal.SIGSTOP)

    def proceed(self):
        self.signal_all(signal.SIGCONT)

    def signal_all(self, signum):
        for pid in self.processes():
            try:
                os.kill(pid, signum)
            except ProcessLookupError:
                pass  # a backend or an autovacuum has just ended

    def create(self, name):
        subprocess.run([BIN / "createdb", "-h", self.socket, "-U", "postgres",
                        name], check=True)
        return self.url(name)

    def url(self, name, socket_directory=None):
        return f"postgres://postgres@/{name}?host=" \
               f"{socket_directory or self.socket}"


class Session:
    """psql, which answers one query after the other."""

    def __init__(self, url):
        self.url, self.psql = url, None

    def close(self):
        if self.psql:
            self.psql.kill()
            self.psql.wait()
            self.psql.stdin.close()
            self.psql.stdout.close()
        self.psql = None

    def ask(self, query):
        """The answer's one line.  Tries again while the server is away."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.psql is None:
                self.psql = subprocess.Popen(
                    ["psql", "-qXAt", self.url], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    text=True)
            try:
                self.psql.stdin.write(query + ";\n\\echo .\n")
                self.psql.stdin.flush()
                lines = []
                while (line := self.psql.stdout.readline()) not in (".\n", ""):
                    lines.append(line.rstrip("\n"))
                if line:
                    return "\n".join(lines)
            except BrokenPipeError:
                pass
            self.close()
            time.sleep(0.05)
        raise TimeoutError("the server does not answer: " + query)


class Proxy:
    """Forwards connections, and breaks them.

    cut()           closes all of them
    lose_answers()  hands what the clients send to the server, but not its
                    answers, for a moment; then closes all of them
    half_open()     the server sees its connections end, and the clients hear
                    nothing any more
    pause_s         how long each piece of 200 bytes takes on its way
    stop_at         the first answer with these bytes is handed on without its
                    end, and then the server is away until is_away is false
    """

    def __init__(self, server):
        self.server = server
        self.directory = server.path / "proxy"
        self.directory.mkdir(exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.directory / SOCKET))
        self.listener.listen(50)
        self.lock, self.pairs, self.half = threading.Lock(), set(), set()
        self.is_mute = self.is_closed = self.is_away = False
        self.stop_at, self.pause_s = None, 0
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_closed = True
        self.listener.close()
        self.cut()
        shutil.rmtree(self.directory)

    def accept(self):
        while not self.is_closed:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_away:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self.server.socket / SOCKET))
            except OSError:
                client.close()
                continue
            with self.lock:
                self.pairs.add((client, server))
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.forward, daemon=True,
                                 args=(source, target, server)).start()

    def send(self, target, data):
        while self.pause_s and data:
            target.sendall(data[:200])
            data = data[200:]
            time.sleep(self.pause_s)  # that slow
        target.sendall(data)

    def forward(self, source, target, server):
        is_answer = source is server
        try:
            while data := source.recv(65536):
                if is_answer and self.stop_at and self.stop_at in data:
                    self.stop_at, self.is_away = None, True
                    target.sendall(data[:-6])  # "ready for query"
                    break
                if not (is_answer and self.is_mute):
                    self.send(target, data)
        except OSError:
            pass
        for end in (server,) if server in self.half else (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def half_open(self):
        with self.lock:
            servers = {server for _, server in self.pairs} - self.half
            self.half |= servers
        for server in servers:
            try:
                server.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def lose_answers(self, seconds):
        self.is_mute = True
        time.sleep(seconds)  # that long
        self.cut()
        self.is_mute = False
