#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""weir's WebSockets against python3-websockets, in both roles.

    test/net/peers/websocket.py

The programs are in build/peers (WEIR_BUILD: another build directory).  All
connections are on 127.0.0.1, at ports that the kernel chooses.
"""
import asyncio
import contextlib
import os
import pathlib
import random
import re
import signal
import socket
import struct
import sys

import websockets
from websockets.extensions.permessage_deflate import (
    ClientPerMessageDeflateFactory, ServerPerMessageDeflateFactory)

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build"))
PEER = str(BUILD / "peers" / "websocket")
CHAT = str(BUILD / "net" / "chat")
LIMIT = 30  # seconds, for each case
SIZES = (0, 1, 125, 126, 127, 4096, 65535, 65536, 300000, 1 << 20)

cases = failures = 0


async def case(name, run):
    """Run one case, and print its result."""
    global cases, failures
    cases += 1
    try:
        await asyncio.wait_for(run, LIMIT)
        print(f"ok {cases} - {name}", flush=True)
    except Exception as error:  # whatever went wrong, the case has failed
        failures += 1
        print(f"not ok {cases} - {name}\n# {type(error).__name__}: {error}",
              flush=True)


def check(holds, *details):
    if not holds:
        raise AssertionError(" ".join(map(str, details)))


# ---- weir's server ----

class Server:
    def __init__(self, process, port):
        self.process, self.port = process, port
        self.uri = f"ws://127.0.0.1:{port}/"

    async def line(self):
        """The next line that it prints."""
        return (await self.process.stdout.readline()).decode().strip()

    async def terminate(self):
        """SIGTERM.  Returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()


@contextlib.asynccontextmanager
async def serving(*options):
    process = await asyncio.create_subprocess_exec(
        PEER, "server", *options, stdout=asyncio.subprocess.PIPE)
    try:
        first = (await process.stdout.readline()).decode()
        yield Server(process, int(re.match(r"port (\d+)", first)[1]))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def connect(server, **more):
    more = {"max_size": None, "compression": None, "ping_interval": None,
            **more}
    return websockets.connect(server.uri, **more)


async def exchange(client, dice, sizes=SIZES):
    """Send messages of many sizes, and expect them back in order."""
    sent = []
    for size in sizes:
        text = "".join(dice.choices("abcdefghé€😀 ", k=size // 2))
        sent += [dice.randbytes(size), text,
                 [text[:size // 5], "", text[size // 5:]]]

    async def send():
        for message in sent:
            await client.send(message)
    sending = asyncio.ensure_future(send())
    for message in sent:
        expected = "".join(message) if isinstance(message, list) else message
        got = await client.recv()
        check(got == expected, len(got), "bytes instead of", len(expected))
    await sending


async def echo(dice, *options, **more):
    async with serving(*options) as server:
        async with connect(server, **more) as client:
            await exchange(client, dice)
            await client.close(4321, "enough")
        check(await server.line() == "end OK 4321 clean enough")
        check(await server.terminate() == 0, "exit status")


async def echo_compressed(dice, options, **parameters):
    factory = ClientPerMessageDeflateFactory(**parameters)
    async with serving("--deflate", *options) as server:
        async with connect(server, extensions=[factory]) as client:
            check(len(client.extensions) == 1, "not agreed on")
            await exchange(client, dice, SIZES[:-1])
        check(await server.line() == "end OK 1000 clean")


async def many_clients(dice):
    async def one(server):
        async with connect(server) as client:
            for _ in range(50):
                message = dice.randbytes(dice.randrange(3000))
                await client.send(message)
                check(await client.recv() == message)
    async with serving("--deflate") as server:
        await asyncio.gather(*(one(server) for _ in range(20)))


async def pings():
    async with serving() as server:
        async with connect(server) as client:
            for payload in ("", "hello", "x" * 125):
                await (await client.ping(payload))
            await client.send("ping from the server")
            check(await server.line() == "pong from the server")


async def server_closes():
    async with serving() as server:
        async with connect(server) as client:
            await client.send("last")
            await client.send("close 4000 because")
            check(await client.recv() == "last")
            try:
                await client.recv()
                check(False, "not closed")
            except websockets.ConnectionClosed as closed:
                check(closed.rcvd.code == 4000, closed)
                check(closed.rcvd.reason == "because", closed)
        check(await server.line() == "end OK 4000 clean because")


async def terminated():
    """SIGTERM: each client sees 1012, and the answers to what it has sent."""
    async with serving() as server:
        clients = [await connect(server) for _ in range(20)]
        for client in clients:
            await client.send("answered")
            check(await client.recv() == "answered")
        server.process.send_signal(signal.SIGTERM)
        for client in clients:
            try:
                await client.recv()
                check(False, "not closed")
            except websockets.ConnectionClosed as closed:
                check(closed.rcvd.code == 1012, closed)
        for _ in clients:
            check(await server.line() == "end OK 1012 clean restart")
        check(await server.process.wait() == 0, "exit status")


async def subprotocols():
    async with serving() as server:
        async with connect(server, subprotocols=["mqtt", "chat"]) as client:
            check(client.subprotocol == "chat", client.subprotocol)
        async with connect(server, subprotocols=["mqtt"]) as client:
            check(client.subprotocol is None, client.subprotocol)


async def too_large(**more):
    async with serving("--limit=1000", "--deflate") as server:
        async with connect(server, **more) as client:
            await client.send("x" * 1000)
            check(len(await client.recv()) == 1000)
            await client.send("x" * 1001)
            try:
                await client.recv()
                check(False, "not closed")
            except websockets.ConnectionClosed as closed:
                check(closed.rcvd.code == 1009, closed)
        check(await server.line() == "end EWEBSOCKET 1009 unclean")


# ---- a client that violates the protocol ----

KEY = "dGhlIHNhbXBsZSBub25jZQ=="


async def raw_open(server, head=None):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write((head or (
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
        f"Upgrade\r\nSec-WebSocket-Key: {KEY}\r\nSec-WebSocket-Version: 13"
        "\r\n\r\n")).encode())
    answer = await reader.readuntil(b"\r\n\r\n")
    return reader, writer, int(answer.split()[1])


async def violation(payload, code):
    async with serving() as server:
        reader, writer, status = await raw_open(server)
        check(status == 101, status)
        writer.write(payload)
        got = await reader.read()
        check(got == b"\x88\x02" + struct.pack(">H", code), got)
        writer.close()
        check(await server.line() == f"end EWEBSOCKET {code} unclean")


async def vanished():
    """A client that goes away without a word, and one that resets."""
    async with serving() as server:
        _, writer, _ = await raw_open(server)
        writer.close()
        check(await server.line() == "end EEOF 1006 unclean")
        _, writer, _ = await raw_open(server)
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        check(await server.line() == "end ECONNRESET 1006 unclean")


async def refused():
    async with serving() as server:
        head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        check((await raw_open(server, head))[2] == 400)
        check((await raw_open(server, head.replace("GET", "POST")))[2] == 405)
        head = ("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Key: {KEY}\r\n"
                "Sec-WebSocket-Version: 12\r\n\r\n")
        check((await raw_open(server, head))[2] == 426)


# ---- weir's client ----

async def to_python(options, **more):
    async def handle(websocket, *_):
        with contextlib.suppress(websockets.ConnectionClosed):
            async for message in websocket:
                await websocket.send(message)
        codes.append((websocket.close_code, websocket.close_reason))
    codes = []
    more = {"max_size": None, "compression": None, **more}
    async with websockets.serve(handle, "127.0.0.1", 0, **more) as server:
        port = server.sockets[0].getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            PEER, "client", str(port), "60", *options,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        out, err = await process.communicate()
        check(process.returncode == 0, err.decode())
        check(out.decode().strip() == "end OK 4000 clean that is all", out)
        agreed = bool(more.get("extensions"))
        check(f"deflate {int(agreed)}" in err.decode(), err.decode())
    check(codes == [(4000, "that is all")], codes)


# ---- the example ----

async def lines_of(client, count):
    return [await client.recv() for _ in range(count)]


async def chat():
    """Everybody gets every line, and SIGTERM closes all with 1012."""
    process = await asyncio.create_subprocess_exec(
        CHAT, stdout=asyncio.subprocess.PIPE)
    try:
        address = (await process.stdout.readline()).decode().strip()
        uri = address.replace("http:", "ws:") + "room"
        first = await websockets.connect(uri)
        check(await lines_of(first, 1) == ["1 is here"])
        second = await websockets.connect(uri, compression=None)
        check(await lines_of(second, 1) == ["2 is here"])
        await second.send("good evening" * 50)
        for client, before in ((first, ["2 is here"]), (second, [])):
            got = await lines_of(client, len(before) + 1)
            check(got == before + ["2: " + "good evening" * 50], got)
        third = await websockets.connect(uri)
        await third.send(b"not a text")
        await third.wait_closed()
        check(third.close_code == 1003, third.close_code)
        got = await lines_of(first, 2)
        check(got == ["3 is here", "3 has left"], got)
        process.send_signal(signal.SIGTERM)
        for client in (first, second):
            await client.wait_closed()
            check(client.close_code == 1012, client.close_code)
        check(await process.wait() == 0, "exit status")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def python_deflate(**parameters):
    return {"extensions": [ServerPerMessageDeflateFactory(**parameters)]}


async def main():
    seed = int(os.environ.get("WEIR_SEED") or random.randrange(1 << 32))
    print(f"# WEIR_SEED={seed}")
    dice = random.Random(seed)
    await case("messages of all sizes come back", echo(dice))
    await case("so they do in fragments", echo(dice, "--streaming"))
    await case("so they do if the server pauses", echo(dice, "--paced"))
    await case("compression is agreed on and works",
               echo_compressed(dice, []))
    await case("compression works without context takeover",
               echo_compressed(dice, ["--server-fresh", "--client-fresh"],
                               client_max_window_bits=True))
    await case("compression works with small windows",
               echo_compressed(dice, ["--server-bits=9", "--client-bits=10"],
                               client_max_window_bits=True))
    await case("compression works with the windows that the client asks for",
               echo_compressed(dice, [], server_max_window_bits=10,
                               client_max_window_bits=9,
                               server_no_context_takeover=True))
    await case("compression works in fragments",
               echo_compressed(dice, ["--streaming", "--paced"]))
    await case("compression that the client does not offer is not used",
               echo(dice, "--deflate"))
    await case("twenty clients are served at a time", many_clients(dice))
    await case("pings are answered both ways", pings())
    await case("the server closes with its code and reason", server_closes())
    await case("SIGTERM closes each client with 1012", terminated())
    await case("a subprotocol is chosen", subprotocols())
    await case("a message that is too large gets 1009", too_large())
    await case("so does one that is too large when decompressed",
               too_large(compression="deflate"))
    await case("a reserved bit gets 1002",
               violation(b"\xc1\x80\0\0\0\0", 1002))
    await case("a frame that is not masked gets 1002",
               violation(b"\x81\x01x", 1002))
    await case("a text that is not UTF-8 gets 1007",
               violation(b"\x81\x81\0\0\0\0\xff", 1007))
    await case("a client that vanishes is noticed", vanished())
    await case("a request that is not valid is refused", refused())
    await case("weir's client talks to a server", to_python([]))
    await case("weir's client accepts that compression is declined",
               to_python(["--deflate"]))
    await case("weir's client compresses",
               to_python(["--deflate"], **python_deflate()))
    await case("weir's client compresses with small windows",
               to_python(["--deflate", "--server-bits=9"],
                         **python_deflate(client_max_window_bits=9)))
    await case("weir's client compresses without context takeover",
               to_python(["--deflate", "--server-fresh", "--client-fresh"],
                         **python_deflate(client_no_context_takeover=True,
                                          server_no_context_takeover=True)))
    await case("the chat example tells everybody, and drains", chat())
    print(f"1..{cases}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
