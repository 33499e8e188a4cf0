#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serve() against headless Chromium: a page, WebSockets, streams, server-sent
events, uploads, keep-alive.

    test/net/peers/browser.py
"""
import hashlib
import json
import shutil
import sys

import rig

sys.path.insert(0, str(rig.ROOT / "test" / "support"))
from chromium import Browser  # noqa: E402

WEIR = [str(rig.BUILD / "weir"), str(rig.HERE / "browser.mjs")]

SOCKET = """(async () => {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    socket.binaryType = 'arraybuffer';
    const next = () => new Promise((resolve, reject) => {
        socket.onmessage = ({ data }) => resolve(data);
        socket.onerror = () => reject(new Error('the socket failed'));
    });
    await new Promise((resolve) => { socket.onopen = resolve; });
    const seen = [];
    socket.send('a text: äöü');
    seen.push(await next());
    socket.send('x'.repeat(100000));
    seen.push((await next()).length);
    socket.send(new Uint8Array([0, 1, 254, 255]));
    seen.push([...new Uint8Array(await next())]);
    const closed = new Promise((resolve) => { socket.onclose = resolve; });
    socket.close(4001, 'done');
    const { code, reason, wasClean } = await closed;
    return [...seen, code, reason, wasClean];
})()"""

STREAM = """(async () => {
    const response = await fetch('/stream');
    const reader = response.body.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    await fetch('/go');  // the server waits for it
    let length = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            return [first, length];
        length += value.length;
    }
})()"""

EVENTS = """new Promise((resolve, reject) => {
    const source = new EventSource('/events'), seen = [];
    source.onmessage = ({ data, lastEventId }) => {
        seen.push(`${lastEventId}: ${data}`);
        if (seen.length === 5) {
            source.close();
            resolve(seen);
        }
    };
})"""

UPLOAD = """(async () => {
    const form = new FormData();
    form.append('note', 'a line\\nand "another"');
    form.append('file', new File([new Uint8Array(300000).map((_, i) => i * 7)],
        'a "name".bin', { type: 'application/x-test' }));
    form.append('empty', new File([], 'empty.txt', { type: 'text/plain' }));
    return (await fetch('/form', { method: 'POST', body: form })).json();
})()"""

SUBMIT = """(async () => {
    document.body.insertAdjacentHTML('beforeend', `<form method="post" action="/form"
        target="frame"><input name="a" value="1 &amp; 2"><input name="b" value="ü">
        </form><iframe name="frame"></iframe>`);
    const frame = document.querySelector('iframe');
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    document.querySelector('form').submit();
    await loaded;
    return frame.contentDocument.body.textContent;
})()"""

LARGE = """fetch('/size', { method: 'PUT', body: new Blob([new Uint8Array(5000000)]) })
    .then((response) => response.text())"""

ABORT = """(async () => {
    const controller = new AbortController();
    const response = await fetch('/stream', { signal: controller.signal });
    const reader = response.body.getReader();
    await reader.read();
    controller.abort();
    const ended = await reader.read().then(() => 'more', ({ name }) => name);
    return [ended, (await fetch('/go')).status];
})()"""

PEERS = """(async () => {
    let ports;
    for (let i = 0; i < 30; i++)
        ports = await (await fetch('/peer', { cache: 'no-store' })).json();
    return [ports.length, new Set(ports).size];
})()"""

PARALLEL = """(async () => {
    const sizes = await Promise.all(Array.from({ length: 50 }, (_, i) => fetch('/size',
        { method: 'POST', body: 'x'.repeat(i * 100) }).then((response) => response.text())));
    return sizes.every((size, i) => Number(size) === i * 100);
})()"""


def check_page(browser, origin):
    asked = browser.open(f"{origin}/")
    rig.expect("a page loads, with its script and its style",
               sorted(asked)[:3] == [f"{origin}{path}" for path in
                                     ("/", "/app.js", "/style.css")], asked)
    seen = browser.evaluate(
        "[document.title, document.getElementById('text').textContent, "
        "getComputedStyle(document.getElementById('text')).color]")
    rig.expect("the script runs, and the style applies",
               seen == ["weir", "by the script", "rgb(1, 2, 3)"], seen)


def check(browser, name, expression, wanted):
    got = browser.evaluate(expression)
    rig.expect(name, got == wanted, f"got {got!r}", f"instead of {wanted!r}")


def check_all(browser, origin):
    check_page(browser, origin)
    check(browser, "a WebSocket echoes text and bytes, and closes", SOCKET,
          ["a text: äöü", 100000, [0, 1, 254, 255], 4001, "", True])
    check(browser, "the server has seen why it was closed",
          "fetch('/closes').then((response) => response.json())",
          [[4001, "done"]])
    check(browser, "a response arrives while it is made", STREAM,
          ["first ", 1000000])
    check(browser, "events arrive, and go on after the connection has ended",
          EVENTS, [f"{i}: event {i}\nsecond line" for i in range(1, 6)])
    content = bytes(i * 7 % 256 for i in range(300000))
    check(browser, "a form with files is uploaded", UPLOAD, [
        {"name": "note", "value": "a line\r\nand \"another\""},
        {"name": "file", "file": "a \"name\".bin", "type": "application/x-test",
         "size": 300000, "hash": hashlib.sha1(content).hexdigest()},
        {"name": "empty", "file": "empty.txt", "type": "text/plain", "size": 0,
         "hash": hashlib.sha1(b"").hexdigest()}])
    got = browser.evaluate(SUBMIT)
    rig.expect("a form is submitted", json.loads(got) == [
        {"name": "a", "value": "1 & 2"}, {"name": "b", "value": "ü"}], got)
    check(browser, "a large body is uploaded", LARGE, "5000000")
    check(browser, "a response that is given up ends", ABORT,
          ["AbortError", 200])
    check(browser, "requests in turn use one connection", PEERS, [30, 1])
    check(browser, "50 requests at a time are answered", PARALLEL, True)


def main():
    if not shutil.which("chromium"):
        rig.skip("a browser", "chromium is not installed")
        rig.finish()
    with rig.Target(WEIR) as target:
        browser = Browser(rig.scratch)
        try:
            check_all(browser, f"http://127.0.0.1:{target.port}")
        finally:
            browser.close()
        target.signal()
        rig.expect("the server drains and exits with 0", target.wait(10) == 0,
                   target.errors.read_text())
    rig.finish()


main()
