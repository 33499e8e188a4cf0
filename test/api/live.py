#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir --live` and `weir top`, while a program works, hangs and drains.

    test/api/live.py [WEIR] [--pictures DIR]

The page is looked at with headless Chromium.  Nothing depends on how long
anything takes: JavaScript spins until this test has seen what it wants, and
creates a file.  Only without WEIR_BRIEF the page must have updated at least nine
times while JavaScript spins for ten seconds.  Prints TAP.
"""
import fcntl
import http.client
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))
from chromium import Browser  # noqa: E402

ARGUMENTS = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
PICTURES = None
if "--pictures" in sys.argv:
    PICTURES = pathlib.Path(sys.argv[sys.argv.index("--pictures") + 1])
    ARGUMENTS.remove(str(PICTURES))
WEIR = os.path.abspath(ARGUMENTS[0] if ARGUMENTS else
                       os.environ.get("WEIR_BUILD", str(ROOT / "build")) + "/weir")
DEADLINE_S = 120
BUTTONS = ["trace", "profile", "ask-heap", "pause", "drain"]  # in the order of Tab
PROGRAM = """
import { serve } from 'weir:http';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { Pool } from 'weir:pool';
const [sign] = process.argv.slice(2);
const spinUntilSeen = () => {
    while (!existsSync(sign)) // HERE
        ;
};
const busy = () => {
    let sum = 0;
    for (let i = 0; i < 3e6; i++)
        sum += i % 7;
    return sum;
};
const startJobs = async () => {
    const { Jobs, UnrecoverableError } = await import('weir:jobs');
    const mail = new Jobs(`${sign}.db`, { name: 'me', signals: false }).queue('mail');
    let failures = 0;
    mail.work(async (job) => {
        if (job.data === 'bad' && failures++ === 0)
            throw new UnrecoverableError('no such address');
        if (job.data === 'good')
            await job.updateProgress(0.25).then(() => new Promise(() => waiting.push(job)));
    }, { concurrency: 2 });
    await mail.addAll(['bad', 'good']);
    await mail.add('later', { delay: 1e8 });
};
const waiting = [];
const never = new Promise((resolve) => { waiting.settle = resolve; }); // which keeps it
async function waitForever() {
    await never; // AWAIT
}
waitForever();
class Kept {}
globalThis.kept = Array.from({ length: 4321 }, () => new Kept());
globalThis.secret = process.env.A_SECRET;
new Worker("setInterval(() => {}, 50); " + // with 300,000 objects
    "globalThis.kept = Array.from({ length: 300_000 }, (_, i) => ({ i }))", { eval: true });
const flag = new Int32Array(new SharedArrayBuffer(4));
const pool = new Pool(async (flag) => { await Atomics.waitAsync(flag, 0, 0).value; }, { size: 2 });
setInterval(function beat() {}, 20);
const server = await serve({ port: 0, hostname: '127.0.0.1', drain: { deadline: 60_000 },
    async fetch(request) {
        const { pathname } = new URL(request.url);
        if (pathname === '/spin')
            spinUntilSeen();
        else if (pathname === '/spin-10-s')
            for (const end = performance.now() + 10_000; performance.now() < end;)
                ;
        else if (pathname === '/busy')
            busy();
        else if (pathname === '/jobs')
            await startJobs();
        else if (pathname === '/tasks')
            for (let i = 0; i < 12; i++)
                pool.run(flag);
        else if (pathname === '/finish') {
            Atomics.store(flag, 0, 1);
            Atomics.notify(flag, 0);
        } else if (pathname === '/wait')
            await new Promise((resolve) => waiting.push(resolve));
        else if (pathname === '/release')
            waiting.splice(0).forEach((resolve) => resolve());
        return new Response('done');
    } });
console.log(server.port);
process.on('SIGTERM', async () => {
    await server.drain({ deadline: 60_000 });
    process.exit(0);
});
"""
LINE, AWAIT_LINE = (next(i for i, line in enumerate(PROGRAM.split("\n"), 1) if mark in line)
                    for mark in ("// HERE", "// AWAIT"))
results = []


def check(name, is_true, *details):
    results.append(bool(is_true))
    print(f"{'' if is_true else 'not '}ok {len(results)} - {name}", flush=True)
    if not is_true:
        for detail in details:
            print("\n".join(f"#   {line}" for line in str(detail).split("\n")[:40]))


class Program:
    """A program with a live page."""

    def __init__(self, folder, *options):
        self.sign = pathlib.Path(folder) / "sign"
        file = pathlib.Path(folder) / "app.mjs"
        file.write_text(PROGRAM)
        self.process = subprocess.Popen(
            [WEIR, "--blocked-after=200", *options, str(file), str(self.sign)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "A_SECRET": "do-not-show-this"})
        self.url = self.port = self.token = None
        if any(option.startswith("--live") for option in options):
            line = self.process.stderr.readline()
            found = re.fullmatch(r"weir: live at (http://127\.0\.0\.1:(\d+)/)#([0-9a-f]{32})\n",
                                 line)
            check("--live prints an address with a token", found, line)
            self.url, self.port, self.token = found[1] + "#" + found[3], int(found[2]), found[3]
        self.server = int(self.process.stdout.readline())

    def request(self, path):
        """Begin a request to the program; the connection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server, timeout=DEADLINE_S)
        connection.request("GET", path)
        return connection

    def ask(self, path, method="GET", headers=None, token=True):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        given = {"Authorization": f"Bearer {self.token}"} if token else {}
        connection.request(method, path, headers={**given, **(headers or {})})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body

    def sample(self, condition=lambda sample: True):
        """A sample that fulfils a condition."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            sample = json.loads(self.ask("/sample.json")[1])
            if condition(sample):
                return sample
        return sample

    def end(self):
        self.process.kill()
        self.process.communicate()


def main_loop(sample):
    return next(loop for loop in sample["loops"] if loop["name"] == "main")


# ---- who may look ----

def test_access(program):
    for path in ("/sample.json", "/events", "/metrics", "/file?name=profile"):
        check(f"{path} needs the token", program.ask(path, token=False)[0] == 401)
    check("a wrong token is refused", program.ask("/sample.json", token=False, headers={
        "Authorization": "Bearer " + "0" * 32})[0] == 401)
    check("a page under another name is refused (DNS rebinding)",
          program.ask("/sample.json", headers={"Host": f"evil.example:{program.port}"})[0] == 403)
    check("a page of another origin is refused",
          program.ask("/drain", "POST", headers={"Origin": "http://evil.example"})[0] == 403)
    outside = socket.socket()
    outside.settimeout(5)
    address = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
    refused = all(socket.socket().connect_ex((one, program.port)) != 0
                  for one in address if ":" not in one)
    check("only the loopback interface answers", refused, address)
    check("nothing of the environment is shown",
          b"do-not-show-this" not in program.ask("/sample.json")[1])
    path = f"/tmp/weir-{os.geteuid()}/{program.process.pid}.sock"
    mode = os.stat(path).st_mode & 0o777, os.stat(os.path.dirname(path)).st_mode & 0o777
    check("the socket and its directory are the owner's", mode == (0o600, 0o700), mode)
    if os.geteuid() == 0:
        tried = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl", "-s",
             "--unix-socket", path, "http://localhost/sample.json"], capture_output=True)
        check("another user cannot connect to it", tried.returncode != 0 and not tried.stdout,
              tried)


def test_metrics(program):
    status, text = program.ask("/metrics")
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True,
                             timeout=60)
    check("promtool accepts /metrics", status == 200 and checked.returncode == 0 and
          not checked.stdout + checked.stderr, checked.stdout + checked.stderr)
    check("requests and their times are there", all(name in text for name in (
        b"weir_http_requests_total{server=", b"weir_http_request_duration_seconds_bucket",
        b'weir_loop_turns_total{loop="main"}')), text.decode())
    waiting = program.request("/wait")
    program.sample(lambda sample: any(row["target"] == "/wait" for row in sample["connections"]))
    count = f'weir_http_requests_in_flight{{server="127.0.0.1:{program.server}"}} '
    text = program.ask("/metrics")[1].decode()
    check("... and the requests in flight", f"{count}1\n" in text, text)
    program.request("/release").getresponse().read()
    waiting.getresponse().read()


# ---- what the main thread waits for ----

def test_pending(program):
    program.ask("/ask?what=pending", "POST")
    shown = program.sample(lambda sample: "pending" in sample["sections"])["sections"]["pending"]
    timer = next((row for row in shown["data"]["timers"] if row["name"] == "beat"), {})
    check("timers have their function, their period and when they are due",
          timer.get("file", "").endswith("/app.mjs") and
          (timer["delay"], timer["repeats"], timer["count"], timer["hasRef"]) ==
          (20, True, 1, True) and timer["due"] < 21, shown)
    promise = next((row for row in shown["data"]["promises"]
                    if row["name"] == "waitForever"), {})
    check("pending promises have the function and the line that await them",
          promise.get("file", "").endswith("/app.mjs") and promise["awaited"] and
          promise["line"] == AWAIT_LINE and promise["age"] > 0, shown)


def test_trace(program):
    status, trace = program.ask("/trace?seconds=10", "POST")
    check("a trace can be saved", status == 200 and trace[:1] == b"\n" and len(trace) > 100)


# ---- threads and pools ----

def test_threads(program):
    sample = program.sample(lambda sample: any(
        loop["name"] == "worker 1" and loop.get("memory", 0) > 15e6 for loop in sample["loops"]))
    memory = {loop["name"]: loop.get("memory", 0) for loop in sample["loops"]}
    check("each thread of JavaScript has its memory", 15e6 < memory.get("worker 1", 0) < 200e6 and
          0.3e6 < memory["main"] < memory["worker 1"], memory)
    check("a thread without JavaScript has none", all(
        "memory" not in loop for loop in sample["loops"]
        if not re.match("main|worker", loop["name"])), memory)
    program.request("/tasks").getresponse().read()
    sample = program.sample(lambda sample: any(
        (pool["queued"], pool["taken"]) == (10, 2) for pool in sample["pools"]))
    check("a pool of workers shows what waits and what was taken", [
        (pool["name"], pool["workers"], pool["queued"], pool["taken"])
        for pool in sample["pools"]] == [("weir:pool 1", 2, 10, 2)], sample["pools"])
    check("... and so does weir top",
          "weir:pool 1  2 workers, 10 queued, 2 tasks, 0 stolen" in top(program, "--once").stdout)


# ---- while it hangs ----

def test_hang(program):
    stuck = program.request("/spin")
    sample = program.sample(lambda sample: main_loop(sample)["state"] == "blocked" and
                            f"app.mjs:{LINE}" in sample["blocks"][-1]["stack"])
    block = sample["blocks"][-1]
    check("while JavaScript spins, the page says who blocks it, and where",
          block["subject"] == "GET /spin" and f"app.mjs:{LINE}" in block["stack"], block)
    check("... and what the loop runs", main_loop(sample).get("subject") == "GET /spin",
          main_loop(sample))
    check("... and the request in flight", any(
        row["phase"] == "busy" and row["target"] == "/spin" for row in sample["connections"]),
        sample["connections"])
    check("... and /readyz says no", program.ask("/readyz")[0] == 503)
    status, trace = program.ask("/trace?seconds=10", "POST")
    check("... and a trace can be saved", status == 200 and trace)
    done = top(program, "--once", "--json")
    check("... and weir top --once --json works", done.returncode == 0 and main_loop(
        json.loads(done.stdout))["state"] == "blocked", done)
    program.sign.touch()
    stuck.getresponse().read()
    program.sign.unlink()
    sample = program.sample(lambda sample: sample["blocks"][-1]["stage"] == "ended")
    check("afterwards it says how long that took",
          sample["blocks"][-1]["stage"] == "ended", sample["blocks"][-1])


# ---- weir top ----

def top(program, *options):
    return subprocess.run([WEIR, "top", *options, str(program.process.pid)],
                          capture_output=True, text=True, timeout=DEADLINE_S)


def test_top(folder):
    program = Program(folder)  # without --live
    path = f"/tmp/weir-{os.geteuid()}/{program.process.pid}.sock"
    check("a program that nobody looks at has no socket", not os.path.exists(path))
    done = top(program, "--once")
    check("weir top attaches to it", done.returncode == 0 and "LOOP" in done.stdout and
          "main" in done.stdout and "timer" in done.stdout, done)
    screen, keys = pty.openpty()
    fcntl.ioctl(keys, termios.TIOCSWINSZ, struct.pack("4H", 40, 120, 0, 0))
    shown = subprocess.Popen([WEIR, "top", str(program.process.pid)], stdin=keys, stdout=keys,
                             stderr=subprocess.PIPE, env={**os.environ, "TERM": "xterm"})
    os.close(keys)

    def read_until(text):
        seen = b""
        while text not in seen and select.select([screen], [], [], DEADLINE_S)[0]:
            seen += os.read(screen, 65536)
        return text in seen
    check("on a terminal it shows the loops", read_until(b"by total"))
    os.write(screen, b"s")
    check("... s sorts", read_until(b"by longest"))
    os.write(screen, b"p")
    check("... p pauses", read_until(b"PAUSED"))
    os.write(screen, b"q")
    check("... q quits", read_until(b"\x1b[?1049l") and shown.wait(DEADLINE_S) == 0)
    os.close(screen)
    shown.stderr.close()
    program.end()
    for what, pid, message in (("a process that is not weir's", os.getpid(), "is not a program"),
                               ("no process", 4194305, "there is no process")):
        done = subprocess.run([WEIR, "top", "--once", str(pid)], capture_output=True, text=True)
        check(f"weir top refuses {what}", done.returncode == 1 and message in done.stderr, done)


def test_killed(folder):
    killed, other, last = [Program(folder) for _ in range(3)]
    path, kept = [f"/tmp/weir-{os.geteuid()}/{program.process.pid}.sock"
                  for program in (killed, other)]
    for program in (killed, other):
        top(program, "--once")
    killed.process.kill()
    killed.process.wait(DEADLINE_S)
    check("a program that was killed leaves its socket", os.path.exists(path))
    done = top(last, "--once")
    check("... which the next one removes", done.returncode == 0 and not os.path.exists(path), done)
    check("... but not that of another one", os.path.exists(kept) and
          top(other, "--once").returncode == 0)
    other.end()
    last.end()


# A process that says that weir runs it, and sends what it likes.
FAKE = """
import json, os, signal, socket, sys
signal.signal(62, lambda *_: None)
colour = "\\x1b[31m"
sample = {"pid": colour, "title": colour, "uptime": 1, "phase": colour, "cpu": 0, "memory": 1,
          "loops": [{"name": "main", "thread": 1, "state": colour, "busy": 0, "rate": 0}],
          "holders": [], "servers": [], "slow": [], "log": [], "blocks": [],
          "connections": [{"phase": "busy", "age": colour, "peer": "", "method": "", "target": ""}],
          "callbacks": [{"kind": colour, "count": 1, "total": 1, "longest": 1, "name": ""}]}
body = json.dumps(sample).encode()
folder = f"/tmp/weir-{os.geteuid()}"
os.makedirs(folder, mode=0o700, exist_ok=True)
path = f"{folder}/{os.getpid()}.sock"
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen()
print("ready", flush=True)
for _ in range(3):
    peer = server.accept()[0]
    peer.recv(65536)
    peer.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\n" + body)
    peer.close()
os.unlink(path)
"""


def test_top_is_not_deceived():
    fake = subprocess.Popen([sys.executable, "-c", FAKE], stdout=subprocess.PIPE, text=True)
    fake.stdout.readline()
    done = subprocess.run([WEIR, "top", "--once", str(fake.pid)], capture_output=True, text=True,
                          timeout=DEADLINE_S)
    check("weir top prints no control characters of a process", done.returncode == 0 and
          "main" in done.stdout and "\x1b" not in done.stdout, done)
    fake.kill()
    fake.wait()
    fake.stdout.close()
    if os.geteuid() != 0:
        return
    other = subprocess.Popen(["sleep", str(DEADLINE_S)], user=54321)
    folder = pathlib.Path("/tmp/weir-54321")
    folder.mkdir(0o700) # by another user than that of the process
    done = subprocess.run([WEIR, "top", "--once", str(other.pid)], capture_output=True, text=True)
    check("weir top uses no directory of another user", done.returncode == 1 and
          "does not belong to" in done.stderr, done)
    folder.rmdir()
    other.kill()
    other.wait()


# ---- the drain ----

def test_drain(program):
    waiting = program.request("/wait")
    program.sample(lambda sample: any(row["target"] == "/wait" for row in sample["connections"]))
    status, _ = program.ask("/drain", "POST")
    sample = program.sample(lambda sample: sample["phase"] == "draining")
    check("the page begins the drain, and stays",
          status == 202 and sample["phase"] == "draining", sample)
    check("... and shows who holds it", any(
        row["phase"] == "busy" and row["target"] == "/wait" for row in sample["connections"]),
        sample["connections"])
    waiting.close()
    program.process.send_signal(signal.SIGKILL)


# ---- in a browser ----

def wait_for(browser, expression):
    """Let the page wait until an expression is true."""
    return browser.evaluate(f"""new Promise((resolve) => {{
        const timer = setInterval(() => {{ if ({expression}) finish(true); }}, 50);
        const limit = setTimeout(() => finish(false), {DEADLINE_S * 1000});
        function finish(value) {{ clearInterval(timer); clearTimeout(limit); resolve(value); }}
    }})""")


def picture(browser, name):
    if PICTURES:
        browser.save(PICTURES / f"{name}.png")


def test_keyboard(browser):
    saved = "document.getElementById('log').textContent.split('saved weir-').length - 1"
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="t", text="t")
    check("the key t saves a trace", wait_for(browser, f"{saved} === 1"))
    focused = []
    while len(focused) < len(BUTTONS):
        browser.press("Tab")
        focused.append(browser.evaluate("document.activeElement.id"))
        if focused[-1] == "trace":
            browser.press("Enter")
        if focused[-1] == "pause":
            check("Enter presses a button", wait_for(browser, f"{saved} === 2"))
            browser.press("Enter")
            check("... and the next one", browser.evaluate(
                "document.activeElement.getAttribute('aria-pressed')") == "true")
            browser.press("Enter")
    check("Tab visits the buttons in their order", focused == BUTTONS, focused)
    check("what has the focus is outlined", browser.evaluate(
        "getComputedStyle(document.activeElement).outlineStyle") == "solid")
    for _ in range(20):
        browser.press("Tab")
        if browser.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    browser.press("Enter")
    check("Enter opens a block", browser.evaluate(
        "document.activeElement.tagName === 'SUMMARY' && document.activeElement.parentNode.open"))
    browser.press("Enter")


def test_profile(program, browser):
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="c", text="c")
    check("the key c starts a CPU profile", wait_for(
        browser, "document.getElementById('profile').textContent.startsWith('Stop')"))
    check("there is no file yet", program.ask("/file?name=profile")[0] == 404)
    program.request("/busy").getresponse().read()
    browser.evaluate("document.getElementById('profile').click()")
    check("the button stops it, and saves the file", wait_for(
        browser, "/saved weir-\\S+\\.cpuprofile/.test(document.getElementById('log').textContent)"),
        browser.evaluate("document.getElementById('log').textContent"))
    status, text = program.ask("/file?name=profile")
    frames = [node["callFrame"] for node in json.loads(text)["nodes"]] if status == 200 else text
    check("the profile has the function that was busy", any(
        frame["functionName"] == "busy" and frame["url"].endswith("app.mjs")
        for frame in frames), frames)


def test_jobs(program, browser):
    check("it has no jobs before there is a store",
          browser.evaluate("document.getElementById('jobs-panel').hidden"))
    program.request("/jobs").getresponse().read()
    row = ("[...document.querySelectorAll('#job-queues tbody tr')]"
           ".map((row) => row.innerText.split('\\t').slice(0, 7).join(' ')).join()")
    check("it shows how many jobs of a queue are ready, run, are delayed, or dead", wait_for(
        browser, f"{row} === 'mail 0 1 1 0 0 1'"), browser.evaluate(row))
    check("... a job that runs, with its progress and its lease", wait_for(
        browser, "/mail\\s*1 of \\d+\\s*25 %\\s*me\\s*\\d+(\\.\\d+)? s/.test("
        "document.getElementById('job-running').innerText)"),
        browser.evaluate("document.getElementById('job-running').innerText"))
    check("... and why a job is dead", browser.evaluate(
        "document.getElementById('job-dead').innerText.includes('no such address')"),
        browser.evaluate("document.getElementById('job-dead').innerText"))
    browser.evaluate("document.querySelector('#job-dead button').click()")
    check("its button lets that job be tried again", wait_for(
        browser, f"{row} === 'mail 0 1 1 0 0 0' && !document.querySelector('#job-dead li')"),
        browser.evaluate(row))


def test_profile_is_refused(folder):
    program = Program(folder, "--live", "--cpu-prof")
    program.ask("/ask?what=profile-start", "POST")
    sample = program.sample(lambda sample: "profile" in sample["sections"])
    shown = sample["sections"]["profile"]["data"]
    check("a profile that --cpu-prof takes is left alone", shown["state"] == "failed" and
          "--cpu-prof" in shown["reason"], shown)
    program.end()


def test_ten_seconds(program, browser):
    """The page itself counts how often it says that the loop is blocked."""
    browser.evaluate("""void (window.counted = new Promise((resolve) => {
        const times = [], alarm = document.getElementById('alarm');
        new MutationObserver((_, observer) => {
            if (!alarm.hidden) {
                times.push(performance.now());
            } else if (times.length > 0) {
                observer.disconnect();
                resolve(times);
            }
        }).observe(alarm, { attributes: true, childList: true, subtree: true });
    }))""")
    program.request("/spin-10-s").getresponse().read()
    times = browser.evaluate("window.counted")
    gap = max(b - a for a, b in zip(times, times[1:]))
    print(f"# while it spins for 10 s: {len(times)} updates, {gap:.0f} ms between two at most")
    check("while JavaScript spins for 10 s, the page updates nine times", len(times) >= 9, times)


def test_browser(program, folder):
    browser = Browser(folder)
    try:
        asked = browser.open(program.url)
        browser.call("Runtime.enable")
        browser.call("Log.enable")
        origin = program.url.split("#")[0]
        check("the page asks nobody but its origin",
              asked and all(url.startswith(origin) for url in asked), asked)
        check("it hides the token", browser.evaluate("location.href") == origin)
        check("it shows the main loop and the worker", wait_for(
            browser, "document.querySelectorAll('.loop').length >= 2"))
        program.request("/").getresponse().read()
        for panel, text in (("servers", "127.0.0.1:"), ("holders", "timer"),
                            ("callbacks", "timer"), ("slow", "GET /"), ("facts", "process"),
                            ("memory", "worker 1"), ("timers", "app.mjs"),
                            ("promises", f"app.mjs:{AWAIT_LINE})await1"),
                            ("pools", "weir:pool 12102")):
            check(f"the panel {panel} has its data", wait_for(
                browser, f"document.getElementById('{panel}').textContent.includes('{text}')"),
                browser.evaluate(f"document.getElementById('{panel}').textContent"))
        program.request("/finish").getresponse().read()
        check("it shows tasks that end", wait_for(
            browser, "document.getElementById('pools').textContent.includes('weir:pool 12012')"),
            browser.evaluate("document.getElementById('pools').textContent"))
        check("it has no heap figures before they are asked for",
              browser.evaluate("document.getElementById('heap-panel').hidden"))
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="h", text="h")
        check("the key h shows the heap by class", wait_for(
            browser, "/Kept\\s*4,321/.test([...document.querySelectorAll('#heap tr')].map("
            "(row) => row.innerText).join('\\n'))"),
            browser.evaluate("document.getElementById('heap-panel').innerText"))
        test_keyboard(browser)
        test_profile(program, browser)
        test_jobs(program, browser)
        picture(browser, "live")
        stuck = program.request("/spin")
        check("while JavaScript spins, it names the culprit", wait_for(
            browser, f"document.getElementById('alarm').textContent.includes('app.mjs:{LINE}')"),
            browser.evaluate("document.getElementById('alarm').textContent"))
        times = browser.evaluate("""new Promise((resolve) => {
            const times = [], alarm = document.getElementById('alarm');
            new MutationObserver((_, observer) => {
                times.push(performance.now());
                if (times.length === 6) { observer.disconnect(); resolve(times); }
            }).observe(alarm, { childList: true, subtree: true, characterData: true });
        })""")
        print(f"# between updates while it hangs: {max(b - a for a, b in zip(times, times[1:])):.0f} ms")
        check("... and goes on updating", len(times) == 6)
        picture(browser, "blocked")
        browser.call("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])
        check("it has dark colours", browser.evaluate(
            "getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 27)")
        picture(browser, "dark")
        browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844,
                     deviceScaleFactor=2, mobile=True)
        check("it fits a phone", browser.evaluate(
            "document.documentElement.scrollWidth <= window.innerWidth"))
        picture(browser, "phone")
        program.sign.touch()
        stuck.getresponse().read()
        program.sign.unlink()
        check("afterwards the alarm is gone, and the block is in the list", wait_for(
            browser, "document.getElementById('alarm').hidden && document.querySelector("
            "'#blocks summary').textContent.includes('was blocked')"))
        if "WEIR_BRIEF" not in os.environ:
            test_ten_seconds(program, browser)
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="p", text="p")
        check("the key p pauses", wait_for(
            browser, "document.getElementById('pause').getAttribute('aria-pressed') === 'true'"))
        draw_ms = browser.evaluate("""(() => {
            const loop = { name: 'worker', thread: 1, state: 'busy', busy: 0.5, turns: 1, rate: 1,
                kind: 'timer', for: 0, callback: 'f (app.js:1)', subject: '',
                queue: { p50: 1, p99: 2 }, call: { p50: 1, p99: 2 }, longest: 1 };
            const sample = { title: '', pid: 1, loops: Array.from({ length: 1000 }, (_, i) =>
                ({ ...loop, name: `worker ${i}`, thread: i + 1 })), holders: [], callbacks: [],
                servers: [], slow: [], log: [], cpu: 0, memory: 0, uptime: 1, phase: 'running',
                connectionCount: 10000, connections: Array.from({ length: 200 }, () => ({
                    phase: 'busy', method: 'GET', target: '/', peer: '::1', age: 1, in: 1,
                    out: 1 })) };
            isPaused = false;
            show(sample);
            const times = [];
            for (let i = 0; i < 5; i++) {
                const begin = performance.now();
                show(sample);
                times.push(performance.now() - begin);
            }
            isPaused = true;
            return Math.min(...times);
        })()""")
        print(f"# drawing 1,000 loops and 10,000 connections: {draw_ms:.1f} ms")
        errors = [event for event in browser.events
                  if event.get("method") == "Runtime.exceptionThrown" or
                  (event.get("method") == "Log.entryAdded" and
                   event["params"]["entry"]["level"] == "error")]
        check("there are no errors on the console", not errors, errors)
        later = [event["params"]["request"]["url"] for event in browser.events
                 if event.get("method") == "Network.requestWillBeSent"]
        check("no request has left the origin",
              all(url.startswith((origin, "blob:", "data:")) for url in later), later)
    finally:
        browser.close()


with tempfile.TemporaryDirectory(prefix="weir-live-") as folder:
    running = Program(folder, "--live")
    running.request("/").getresponse().read()
    test_access(running)
    test_metrics(running)
    test_trace(running)
    test_pending(running)
    test_threads(running)
    test_hang(running)
    if shutil.which("chromium"):
        test_browser(running, folder)
    else:
        print("# no Chromium: the page was not looked at")
    test_drain(running)
    running.end()
    test_profile_is_refused(folder)
    test_top(folder)
    test_killed(folder)
    test_top_is_not_deceived()
    taken = subprocess.run([WEIR, "--live=nowhere", "-e", "1"], capture_output=True, text=True)
    check("a bad address is refused", taken.returncode == 1 and "--live" in taken.stderr, taken)
print(f"1..{len(results)}")
sys.exit(not all(results))
