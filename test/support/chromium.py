# SPDX-License-Identifier: MIT
"""Headless Chromium for tests, by its DevTools protocol."""
import base64
import contextlib
import json
import os
import subprocess

KEYS = {"ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35, "Tab": 9,
        "Enter": 13}
TEXTS = {"Enter": "\r"}  # without it a button is not pressed


class Browser:
    """Chromium, by the DevTools protocol over two pipes (its descriptors 3 and 4)."""

    def __init__(self, folder):
        to_read, self.to = os.pipe()
        self.answers, from_write = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec chromium "$@" 3<&{to_read} 4>&{from_write}',
             "sh", "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe",
             f"--user-data-dir={folder}/profile", "--window-size=1200,800"],
            pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest, self.session, self.events = 0, b"", None, []

    def receive(self):
        while b"\0" not in self.rest:
            data = os.read(self.answers, 65536)
            if not data:
                raise RuntimeError("Chromium has ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        """Load a page; the addresses that it asked for."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Network.enable")
        self.events = []
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired"
                      for event in self.events):
            self.events.append(self.receive())
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def evaluate(self, expression):
        """The value of an expression; if it is a promise, what it settles to."""
        answer = self.call("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            text = {"text": TEXTS[key]} if kind == "keyDown" and key in TEXTS else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=KEYS[key], **text)

    def save(self, path):
        path.write_bytes(base64.b64decode(
            self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        """Let it end its other processes, which write to their folder until then."""
        message = {"id": self.number + 1, "method": "Browser.close"}
        with contextlib.suppress(OSError):
            os.write(self.to, json.dumps(message).encode() + b"\0")
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
