# SPDX-License-Identifier: MIT
"""What bench/net/run measures: the contestants of each workload, and the load.

A load is a function of a running server and the setting.  It returns the
figures of one turn: "mean", the time of one operation as the clients see it,
and "cpu", the processor time that one operation takes the server (of fetch: the
client), user and system.  On a busy machine the second is the steadier one.
"""

import contextlib
import json
import re
import subprocess
import time

import servers
from servers import Failed

EPOLL = "bare epoll"
MANY = 10000


class Entry:
    def __init__(self, impl, command, peer=None, load=None):
        self.impl, self.command, self.peer = impl, command, peer
        self.load = load  # if it differs from the workload's


class Workload:
    def __init__(self, name, operation, load, entries, units=None, fresh=False):
        self.name, self.operation = f"net/{name}", operation
        self.load, self.entries = load, entries
        self.units = units or {"mean": "us", "cpu": "us"}
        self.fresh = fresh  # a server is started for each turn


# ---- loads ----

def run_client(server, setting, command):
    """Its output, and what the server has cost meanwhile: the time that it ran,
    and the greater part of the time that one of the two waited for its core."""
    before = server.cost_ns()
    start = time.monotonic()
    child = subprocess.Popen(["taskset", "-c", str(setting.load_core),
                              *map(str, command)], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    setting.children.append(child)
    waited = 0
    while True:
        try:
            output, errors = child.communicate(timeout=0.1)
            break
        except subprocess.TimeoutExpired:
            waited = client_waited_ns(child.pid) or waited
    setting.children.remove(child)
    wall = (time.monotonic() - start) * 1e9
    if child.returncode != 0:
        raise Failed(f"{command[0]}: {errors.strip() or output.strip()}")
    after = server.cost_ns()
    noise = max(after[1] - before[1], waited) / wall
    return output, after[0] - before[0], noise


def client_waited_ns(pid):
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1])
    except (OSError, IndexError):
        return 0


def figures(seconds, count, total, cost_ns, noise):
    if count == 0:
        raise Failed("not one operation")
    return {"mean": seconds / count * 1e6, "cpu": cost_ns / total / 1e3,
            "noise": noise}


def of_load(program, *args):
    """Our own clients: options, then the mode of load (2) or load_tls (1)."""
    mode = 2 if program == "load" else 1

    def load(server, setting):
        output, cost, noise = run_client(
            server, setting, [setting.programs / program, "-t", setting.seconds,
                              *args[:-mode], server.port, *args[-mode:]])
        got = json.loads(output)
        return figures(got["seconds"], got["count"], got["total"], cost, noise)
    return load


def of_wrk(path, scheme="http", script=None):
    def load(server, setting):
        output, cost, noise = run_client(
            server, setting, ["wrk", "-t1", "-c64",
                              f"-d{max(1, round(setting.seconds))}s",
                              *(["-s", servers.HERE / script] if script else []),
                              f"{scheme}://127.0.0.1:{server.port}{path}"])
        if "errors" in output or "Non-2xx" in output:
            raise Failed("wrk: " + re.search(r".*(errors|Non-2xx).*",
                                             output)[0].strip())
        total = int(re.search(r"(\d+) requests in", output)[1])
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
        return figures(1, rate, total, cost, noise)
    return load


def of_fetch(path, at_once, on_weir):
    """fetch() of a file, by Node or by weir.  "cpu" is the client's."""
    def load(server, setting):
        program = setting.build / "weir" if on_weir else "node"
        output, _, noise = run_client(
            server, setting, [servers.need(program), servers.HERE / "fetch.mjs",
                              server.port, f"/files/{path}",
                              servers.FILES[path], at_once, setting.seconds])
        got = json.loads(output)
        return figures(got["seconds"], got["count"], got["count"],
                       got["cpu"] * 1000, noise)
    return load


def of_redis_benchmark(test, pipeline):
    rate = {}  # by port: how many fill the time

    def load(server, setting):
        count = rate.get(server.port, 20000 * pipeline)
        if server.port not in rate:  # its keys exist afterwards, too
            one(server, setting, "set", 100)
        output, cost, noise = one(server, setting, test, count)
        per_second = float(re.search(r'^"[A-Z]+[^"]*","([\d.]+)"', output,
                                     re.M)[1])
        is_first = server.port not in rate
        rate[server.port] = max(1000, int(per_second * setting.seconds))
        if is_first:
            return load(server, setting)
        return figures(1, per_second, count, cost, noise)

    def one(server, setting, name, count):
        return run_client(server, setting,
                          ["redis-benchmark", "-h", "127.0.0.1", "-p",
                           server.port, "-c", 50, "-n", count, "-P", pipeline,
                           "-t", name, "--csv"])
    return load


@contextlib.contextmanager
def held(server, setting, count, program, *mode):
    """While connections exist that have made one request and are idle."""
    client = subprocess.Popen(
        [str(setting.programs / program), "-c", str(count),
         *(["-h"] if program == "load" else []), str(server.port), *mode],
        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    setting.children.append(client)
    said = client.stdout.readline()
    if said.strip() != "ready":
        raise Failed(client.communicate()[1].strip())
    yield
    client.communicate()
    setting.children.remove(client)


def of_memory(program, *mode):
    """The resident memory that an idle connection adds."""
    def load(server, setting):
        before = server.resident_bytes()
        with held(server, setting, setting.idle, program, *mode):
            after = server.resident_bytes()
        return {"mean": (after - before) / setting.idle / 1024, "noise": 0}
    return load


def of_process_memory(count, program, *mode):
    """The resident memory of a server with idle connections."""
    def load(server, setting):
        with held(server, setting, count, program, *mode):
            return {"mean": server.resident_bytes() / (1 << 20), "noise": 0}
    return load


def of_idle(count):
    """One busy connection beside many that are idle."""
    def load(server, setting):
        busy = of_load("load", "-c", 1, "echo", 1)
        if count == 0:
            return busy(server, setting)
        with held(server, setting, setting.idle, "load", "echo", "1"):
            return busy(server, setting)
    return load


# ---- contestants ----

def table():
    """All workloads."""
    uv, nginx, h2o, node, redis = (
        f"{name} {servers.version(command, pattern)}"
        for name, command, pattern in (
            ("libuv", ["pkg-config", "--modversion", "libuv"], "(.+)"),
            ("nginx", ["nginx", "-v"], r"nginx/(\S+)"),
            ("h2o", ["h2o", "-v"], r"h2o version (\S+)"),
            ("Node", ["node", "-v"], r"v(\S+)"),
            ("Redis", ["redis-server", "-v"], r"v=(\S+)")))

    def weir_http(*args):
        return servers.built("http_weir", *args)

    def weir_tls(key):
        return weir_http("--certificate", f"{{scratch}}/{key}.crt",
                         "--key", f"{{scratch}}/{key}.key")

    def echo(size, text):
        return Workload(f"echo-{text}", f"round trip of {text}, 100 connections",
                        of_load("load", "-c", 100, "echo", size), [
                            Entry(EPOLL, servers.built("echo_epoll")),
                            Entry("weir", servers.example("net/echo", "127.0.0.1:0")),
                            Entry("libuv", servers.built("echo_uv"), uv)])

    def tls(name, operation, load, key):
        return Workload(name, operation, load, [
            Entry("nginx", servers.nginx(key), nginx),
            Entry("weir", weir_tls(key))])

    def static(size):
        return Workload(
            f"file-{size}", f"GET of a file of {size}, wrk, 64 connections",
            of_wrk(f"/files/{size}"), [
                Entry("nginx", servers.nginx(), nginx),
                Entry("weir", weir_http("--root", "{scratch}/root")),
                Entry("nginx, open_file_cache",
                      servers.nginx(more="open_file_cache max=100;"), nginx),
                Entry("h2o", servers.h2o, h2o)])

    def resp(test, pipeline):
        name = f"resp-{test}" + (f"-{pipeline}" if pipeline > 1 else "")
        return Workload(
            name, f"{test.upper()}, redis-benchmark, 50 connections, "
            f"{pipeline} at a time", of_redis_benchmark(test, pipeline), [
                Entry("redis-server", servers.redis, redis),
                Entry("weir", servers.example("net/resp", "127.0.0.1:0"))])

    def serve(mode, operation, script=None):
        return Workload(f"serve-{mode}", f"{operation}, wrk, 64 connections",
                        of_wrk("/", script=script), [
                            Entry("Node", servers.node(mode), node),
                            Entry("weir, serve()", servers.serve(mode)),
                            Entry("weir, node:http", servers.node(mode, True))])

    return [
        echo(1, "1B"),
        echo(65536, "64KiB"),
        Workload("http-observed", "GET of 13 bytes, wrk, 64 connections", of_wrk("/"), [
            Entry("weir, not observed", weir_http()),
            Entry("weir, watchdog and recorder", weir_http("--observed", "yes"))]),
        Workload("http-hello", "GET of 13 bytes, wrk, 64 connections",
                 of_wrk("/"), [
                     Entry("bare epoll + llhttp", servers.built("http_epoll")),
                     Entry("weir", weir_http()),
                     Entry("h2o", servers.h2o, h2o),
                     Entry("nginx", servers.nginx(), nginx),
                     Entry("weir, serve()", servers.serve("http")),
                     Entry("weir, node:http", servers.node("http", True)),
                     Entry("Node", servers.node("http"), node)]),
        Workload("express-hello", "GET of 13 bytes by express, wrk, 64 connections",
                 of_wrk("/"), [
                     Entry("Node", servers.node("express"), node),
                     Entry("weir, node:http", servers.node("express", True))]),
        serve("json", "a JSON of 10 fields in JavaScript"),
        serve("headers", "16 fields read in JavaScript", "headers.lua"),
        serve("upload", "64 KiB echoed in JavaScript", "upload.lua"),
        Workload("fetch", "fetch() of 1 KiB in JavaScript, 64 in flight; the "
                 "server is weir's in C", None, [
                     Entry("Node", weir_http("--root", "{scratch}/root"), node,
                           load=of_fetch("1k", 64, False)),
                     Entry("weir", weir_http("--root", "{scratch}/root"),
                           load=of_fetch("1k", 64, True))]),
        tls("https-hello", "GET of 13 bytes over TLS 1.3, wrk, 64 connections",
            of_wrk("/", "https"), "ecdsa"),
        tls("handshake-ecdsa", "full handshake, P-256, one GET, end",
            of_load("load_tls", "handshakes"), "ecdsa"),
        tls("handshake-rsa", "full handshake, RSA 2048, one GET, end",
            of_load("load_tls", "handshakes"), "rsa"),
        static("1k"),
        static("1m"),
        resp("get", 1),
        resp("set", 1),
        resp("get", 16),
        resp("set", 16),
        Workload("memory-plain", "an idle HTTP connection, without the kernel's "
                 "memory", of_memory("load", "http", "/"), [
                     Entry("bare epoll + llhttp", servers.built("http_epoll")),
                     Entry("weir", weir_http()),
                     Entry("weir, stream", servers.example("net/echo", "127.0.0.1:0"),
                           load=of_memory("load", "echo", "1")),
                     Entry("libuv, stream", servers.built("echo_uv"), uv,
                           load=of_memory("load", "echo", "1")),
                     Entry("h2o", servers.h2o, h2o),
                     Entry("nginx", servers.nginx(), nginx),
                     Entry("Node", servers.node("http"), node)],
                 units={"mean": "KiB"}, fresh=True),
        Workload("memory-javascript", "a server in JavaScript with 1,000 idle "
                 "connections, the whole process",
                 of_process_memory(1000, "load", "http", "/"), [
                     Entry("Node", servers.node("http"), node),
                     Entry("weir, serve()", servers.serve("http")),
                     Entry("weir, node:http", servers.node("http", True))],
                 units={"mean": "MiB"}, fresh=True),
        Workload("memory-tls", "an idle HTTPS connection, without the kernel's "
                 "memory", of_memory("load_tls", "hold"), [
                     Entry("nginx", servers.nginx("ecdsa"), nginx),
                     Entry("weir", weir_tls("ecdsa"))],
                 units={"mean": "KiB"}, fresh=True),
        Workload("idle-10k", "round trip of 1 B, one connection is busy", None, [
            Entry(f"{name}{text}", command, load=of_idle(idle))
            for name, command in ((EPOLL, servers.built("echo_epoll")),
                                  ("weir", servers.example("net/echo", "127.0.0.1:0")))
            for idle, text in ((0, ", none idle"), (MANY, ", 10,000 idle"))]),
        Workload("websocket", "echo of 1 KiB, 64 connections",
                 of_load("load", "-c", 64, "ws", 1024), [
                     Entry("Node, ws", servers.node("ws"), node),
                     Entry("weir", servers.built("websocket_weir")),
                     Entry("weir, serve()", servers.serve("ws"))]),
    ]
