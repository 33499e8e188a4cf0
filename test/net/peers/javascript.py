#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""node:net and node:tls of the program weir against curl, openssl and Python.

    test/net/peers/javascript.py
"""
import socket
import subprocess

import rig

KEYS = rig.ROOT / "test" / "js" / "net" / "keys"
WEIR = str(rig.BUILD / "weir")
ANSWER = "HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello"

TLS_SERVER = """
const tls = require('tls'), fs = require('fs');
const read = (name) => fs.readFileSync(`${process.argv[2]}/${name}`);
const server = tls.createServer({ key: read('server.key'), cert: read('server.pem'),
    ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('%s'));
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
""" % ANSWER

TLS_CLIENT = """
const tls = require('tls'), fs = require('fs');
const ca = fs.readFileSync(`${process.argv[2]}/ca.pem`);
const client = tls.connect({ port: +process.argv[3], host: '127.0.0.1',
    servername: 'localhost', ca }, () => {
    console.log(client.authorized, client.getProtocol());
    client.write('GET / HTTP/1.0\\r\\n\\r\\n');
});
let size = 0;
client.on('data', (data) => { size += data.length; });
client.on('end', () => console.log('end', size > 500));
"""

ECHO = """
const server = require('net').createServer({ allowHalfOpen: true }, (socket) => {
    let text = '';
    socket.on('data', (data) => { text += data; });
    socket.on('end', () => socket.end(text.toUpperCase()));
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
"""


def program(name, source):
    path = rig.scratch / name
    path.write_text(source)
    return str(path)


def server(name, source):
    """Start a program that prints "port N"; its port."""
    process = rig.start([WEIR, program(name, source), str(KEYS)],
                        stdout=subprocess.PIPE, text=True)
    return int(process.stdout.readline().split()[1])


def openssl_client(port, version):
    return subprocess.run(
        ["openssl", "s_client", version, "-quiet", "-verify_return_error",
         "-CAfile", KEYS / "ca.pem", "-servername", "localhost", "-alpn",
         "http/1.1", "-connect", f"127.0.0.1:{port}"], timeout=60,
        input=b"GET / HTTP/1.0\r\n\r\n", capture_output=True)


def openssl_server():
    """Start openssl on a port of its choice; the port."""
    process = rig.start(
        ["openssl", "s_server", "-accept", "127.0.0.1:0", "-key",
         KEYS / "server.key", "-cert", KEYS / "server.pem", "-www"],
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if line.startswith("ACCEPT"):
            return int(line.rsplit(":", 1)[1])
    return 0


def test_tls_server():
    port = server("server.js", TLS_SERVER)
    got = subprocess.run(["curl", "-s", "--cacert", KEYS / "ca.pem",
                          f"https://localhost:{port}/"], timeout=60,
                         capture_output=True)
    rig.expect("curl trusts the server and reads its answer",
               got.stdout == b"hello", got)
    for version in ("-tls1_2", "-tls1_3"):
        got = openssl_client(port, version)
        rig.expect(f"openssl s_client {version} reads the answer",
                   got.returncode == 0 and got.stdout.endswith(b"hello"), got)


def test_tls_client():
    port = openssl_server()
    got = subprocess.run([WEIR, program("client.js", TLS_CLIENT), str(KEYS),
                          str(port)], timeout=60, capture_output=True, text=True)
    rig.expect("a client reads the page of openssl s_server",
               got.stdout == "true TLSv1.3\nend true\n", got)


def test_half_close():
    port = server("echo.js", ECHO)
    text = b"half open " * 100000
    with socket.create_connection(("127.0.0.1", port), timeout=60) as peer:
        peer.sendall(text)
        peer.shutdown(socket.SHUT_WR)
        got = b"".join(iter(lambda: peer.recv(65536), b""))
    rig.expect("a server answers a client that has half-closed",
               got == text.upper(), len(got))


test_tls_server()
test_tls_client()
test_half_close()
rig.finish()
