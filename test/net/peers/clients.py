#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers in JavaScript, serve() and node:http, against curl, wrk and h2load.

    test/net/peers/clients.py
"""
import re
import shutil
import subprocess

import rig

CONNECTIONS = 32
REQUESTS = 2000


def run(*command, **more):
    return subprocess.run([str(word) for word in command], timeout=60,
                          capture_output=True, **more)


def curl(*options, **more):
    return run("curl", "-s", "-S", *options, **more)


def check_curl(name, port, body):
    url = f"http://127.0.0.1:{port}"
    file = rig.scratch_file("body")
    file.write_bytes(body)
    got = curl("-w", "%{num_connects} ", url, url, url)
    rig.expect(f"{name}: curl uses a connection again",
               got.stdout == b"OK\n1 OK\n0 OK\n0 ", got)
    got = curl("--data-binary", f"@{file}", url)
    rig.expect(f"{name}: curl posts a body and reads it back",
               got.stdout == body, len(got.stdout), got.stderr)
    got = curl("-X", "POST", "-T", "-", "-H", "Expect: 100-continue", url,
               input=body)
    rig.expect(f"{name}: the same in chunks, after 100 Continue",
               got.stdout == body, len(got.stdout), got.stderr)
    got = curl("-I", url)
    rig.expect(f"{name}: curl asks for the head alone",
               got.stdout.startswith(b"HTTP/1.1 200 OK\r\n")
               and got.stdout.endswith(b"\r\n\r\n"), got)
    got = curl("--http1.0", f"{url}/large?bytes=3000000")
    rig.expect(f"{name}: curl reads a long response by HTTP/1.0",
               len(got.stdout) == 3000000, len(got.stdout), got.stderr)
    got = curl("-N", f"{url}/stream?chunks=20&ms=1")
    rig.expect(f"{name}: curl reads a response in chunks",
               len(got.stdout) == 20 * 1040, len(got.stdout), got.stderr)


def check_tls(command, body):
    certificate, key = rig.make_certificate()
    with rig.Target(command, "--tls-cert", certificate, "--tls-key",
                    key) as target:
        got = curl("-k", "--data-binary", "@-",
                   f"https://127.0.0.1:{target.port}/", input=body)
        rig.expect("serve over TLS: curl posts a body and reads it back",
                   got.stdout == body, len(got.stdout), got.stderr)


def check_wrk(name, port):
    got = run("wrk", "-t1", f"-c{CONNECTIONS}", "-d1", "--timeout", "30s",
              f"http://127.0.0.1:{port}/").stdout.decode()
    found = re.search(r"(\d+) requests in", got)
    rig.expect(f"{name}: wrk gets nothing but answers",
               found and int(found[1]) > 0 and "Non-2xx" not in got
               and "Socket errors" not in got, got)


def check_h2load(name, port, body):
    file = rig.scratch_file("body")
    file.write_bytes(body)
    for what, more in (("GET", []), ("POST", ["-d", file])):
        got = run("h2load", "--h1", f"-n{REQUESTS}", f"-c{CONNECTIONS}", *more,
                  f"http://127.0.0.1:{port}/").stdout.decode()
        rig.expect(f"{name}: h2load gets an answer to each {what}",
                   f"{REQUESTS} done, {REQUESTS} succeeded, 0 failed, "
                   "0 errored, 0 timeout" in got
                   and f"status codes: {REQUESTS} 2xx" in got, got)


def main():
    body = rig.seeded().randbytes(2000000)
    for name in ("serve", "serve-workers", "nodehttp"):
        with rig.Target(rig.command_of(name)) as target:
            check_curl(name, target.port, body)
            for program, check in (
                    ("wrk", lambda: check_wrk(name, target.port)),
                    ("h2load", lambda: check_h2load(name, target.port,
                                                    body[:3000]))):
                if shutil.which(program):
                    check()
                else:
                    rig.skip(f"{name}: {program}", "not installed")
            target.signal()
            rig.expect(f"{name}: the server exits with 0",
                       target.wait(10) == 0, target.errors.read_text())
    check_tls(rig.command_of("serve"), body)
    rig.finish()


main()
