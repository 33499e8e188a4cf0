#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples/misbehaving.mjs makes each kind of trouble that it offers, and weir
names the culprit: on the page, and in `weir top --once --json`.

    test/api/misbehaving.py [WEIR] [KIND...] [--pictures DIR]

Each kind has a process of its own.  Its trouble lasts until this test has seen
what it wants and kills the process, so nothing depends on how long anything
takes; JSON.parse and sort cannot wait, but what was found remains in the list of
blocks.  The page is looked at with headless Chromium.  Prints TAP.

--pictures only makes the pictures of the guide, of the page while JavaScript
hangs.  pngquant makes them small, if it is installed.
"""
import fcntl
import http.client
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))
from chromium import Browser  # noqa: E402

EXAMPLE = ROOT / "examples" / "misbehaving.mjs"
SOURCE = EXAMPLE.read_text().splitlines()
ARGUMENTS = sys.argv[1:]
PICTURES = None
if "--pictures" in ARGUMENTS:
    PICTURES = pathlib.Path(ARGUMENTS.pop(ARGUMENTS.index("--pictures") + 1))
    ARGUMENTS.remove("--pictures")
WEIR = os.environ.get("WEIR_BUILD", str(ROOT / "build")) + "/weir"
if ARGUMENTS and "/" in ARGUMENTS[0]:
    WEIR = os.path.abspath(ARGUMENTS.pop(0))
DEADLINE_S = 120
LONG_MS = 3_600_000  # until it is killed
SHORT_MS = 1000      # for what needs memory in proportion
TIMERS_MS = 120_000  # a thousandth of it for each timer: none of them is a hang
results = []


def check(name, is_true, *details):
    results.append(bool(is_true))
    print(f"{'' if is_true else 'not '}ok {len(results)} - {name}", flush=True)
    if not is_true:
        for detail in details:
            print("\n".join(f"#   {line}" for line in str(detail).split("\n")[:40]))


def place(*texts):
    """Where the stack may be: the lines of the example that have these texts."""
    return [f"misbehaving.mjs:{i}:" for i, line in enumerate(SOURCE, 1)
            if any(text in line for text in texts)]


def innermost(block):
    """The innermost line of the program itself."""
    return next((line for line in block["stack"].split("\n")
                 if not re.search(r"\((native|node:)", line)), "")


class Kind:
    """What is said about a trouble while it lasts, or afterwards."""

    def __init__(self, places, loop="main", causes=("hang",), kind=None, state="running",
                 ms=LONG_MS, limit_ms=200):
        self.places, self.loop, self.causes, self.kind = places, loop, causes, kind
        self.state, self.ms, self.limit_ms = state, ms, limit_ms

    def lasts(self):
        return self.ms != SHORT_MS

    def fits(self, block):
        return (block["loop"] == self.loop and block["cause"] in self.causes and
                any(place in innermost(block) for place in self.places) and
                self.kind in (None, block["kind"]) and self.state in block["state"])


# The collector may be at work when the stack is taken: there are a million values.
COLLECTS = ("hang", "memory")
SPIN = place("    while (Date.now() < end)", "rounds++")
KINDS = {
    "spin": Kind(SPIN),
    "regexp": Kind(place(".test(")),
    "json": Kind(place("JSON.parse(`"), causes=COLLECTS, ms=SHORT_MS, limit_ms=50),
    "sort": Kind(place(".sort()"), causes=COLLECTS, ms=SHORT_MS, limit_ms=50),
    "timers": Kind(SPIN, causes=("congestion",), kind="timer", ms=TIMERS_MS, limit_ms=1000),
    "read": Kind(place("readFileSync('/dev/tty')"), state="asleep in "),
    "worker": Kind(["[worker eval]:1:"], loop="worker 1"),
    "slow": None,
}


class Service:
    """The example, with a live page and a terminal of its own."""

    def __init__(self, limit_ms, example=EXAMPLE):
        self.screen, keys = pty.openpty()
        self.process = subprocess.Popen(
            [WEIR, "--live", f"--blocked-after={limit_ms}", str(example)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(keys, termios.TIOCSCTTY, 0))
        os.close(keys)
        self.url = re.search(r"http://\S+", self.process.stderr.readline())[0]
        self.port = int(re.search(r":(\d+)/$", self.process.stdout.readline().strip())[1])

    def request(self, path):
        """Begin a request; the connection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        connection.request("GET", path)
        return connection

    def top(self):
        done = subprocess.run([WEIR, "top", "--once", "--json", str(self.process.pid)],
                              capture_output=True, text=True, timeout=DEADLINE_S)
        return json.loads(done.stdout)

    def sample(self, condition):
        """What `weir top` says, once it fulfils a condition."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            sample = self.top()
            if condition(sample) or time.monotonic() > deadline:
                return sample

    def end(self):
        self.process.kill()
        self.process.communicate()
        os.close(self.screen)


def shows(browser, element, texts):
    """Let the page wait until an element has a text of each list."""
    return browser.evaluate(f"""new Promise((resolve) => {{
        const timer = setInterval(() => {{
            const {{ textContent }} = document.getElementById('{element}');
            if ({json.dumps(texts)}.every((some) =>
                some.some((text) => textContent.includes(text))))
                finish(true);
        }}, 50);
        const limit = setTimeout(() => finish(false), {DEADLINE_S * 1000});
        function finish(value) {{ clearInterval(timer); clearTimeout(limit); resolve(value); }}
    }})""")


def text_of(browser, element):
    return browser.evaluate(f"document.getElementById('{element}').textContent")


def check_block(name, kind, browser):
    service = Service(kind.limit_ms)
    request = service.request(f"/{name}?ms={kind.ms}")
    sample = service.sample(lambda sample: any(map(kind.fits, sample["blocks"])))
    check(f"{name}: weir top names loop, cause, kind and line",
          any(map(kind.fits, sample["blocks"])), json.dumps(sample["blocks"], indent=1))
    others = [block for block in sample["blocks"] if block["loop"] != kind.loop]
    check(f"{name}: ... and blames no other loop", not others, others)
    if browser is not None:
        browser.open(service.url)
        check(f"{name}: the page has it among the blocks",
              shows(browser, "blocks", [[kind.loop], kind.causes, kind.places]),
              text_of(browser, "blocks"))
    if browser is not None and kind.lasts():
        check(f"{name}: the page says it while it lasts",
              shows(browser, "alarm", [[f"{kind.loop} is blocked for"], kind.places,
                                       ["callbacks in one turn" if "congestion" in kind.causes
                                        else ""]]),
              text_of(browser, "alarm"))
    service.end()
    request.close()


def check_slow(browser):
    service = Service(limit_ms=1000)
    request = service.request(f"/slow?ms={LONG_MS}")
    sample = service.sample(lambda sample: any(
        row["target"] == "/slow" and row["phase"] == "busy" for row in sample["connections"]))
    check("slow: weir top has the request in flight", any(
        row["target"] == "/slow" for row in sample["connections"]), sample["connections"])
    check("slow: ... and blames nobody", sample["blocks"] == [], sample["blocks"])
    if browser is not None:
        browser.open(service.url)
        check("slow: the page has the request in flight",
              shows(browser, "connections", [["GET /slow"]]), text_of(browser, "connections"))
    service.end()
    request.close()


def check_all(browser):
    service = Service(limit_ms=1000)
    offered = re.findall(r'href="/(\w+)\?', service.request("/").getresponse().read().decode())
    check("each kind that the example offers is tested", sorted(offered) == sorted(KINDS), offered)
    unknown = service.request("/nothing").getresponse()
    check("another path is not found", unknown.status == 404)
    service.end()
    for name, kind in KINDS.items():
        if ARGUMENTS and name not in ARGUMENTS:
            continue
        if kind is None:
            check_slow(browser)
        else:
            check_block(name, kind, browser)


# ---- pictures ----

def emulate(browser, width, height, scheme="light", scale=1):
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=scale, mobile=scale > 1)
    browser.call("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    # The next two samples are drawn with it.
    browser.evaluate("""new Promise((resolve) => {
        let left = 2;
        new MutationObserver((_, observer) => {
            if (--left === 0) { observer.disconnect(); resolve(); }
        }).observe(document.getElementById('facts'), { childList: true });
    })""")


def save(browser, name):
    path = PICTURES / f"{name}.png"
    browser.save(path)
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--nofs", "--strip", "--output", path, "64", path],
                       check=True)
    print(f"# {path}: {path.stat().st_size / 1000:.0f} kB")


def make_pictures(browser, folder):
    place = pathlib.Path(folder) / "service" / EXAMPLE.name
    place.parent.mkdir()
    service = Service(1000, shutil.copy(EXAMPLE, place))
    browser.open(service.url)
    browser.call("Emulation.setScrollbarsHidden", hidden=True)
    requests = [service.request(f"/slow?ms={LONG_MS}") for _ in range(2)]
    for path in ("/", "/sort?ms=800", "/slow?ms=700", "/json?ms=250", "/timers?ms=2000",
                 "/worker?ms=2500", "/slow?ms=900", "/sort?ms=300", "/"):
        service.request(path).getresponse().read()
    requests.append(service.request(f"/spin?ms={LONG_MS}"))
    check("the page says who blocks the loop", shows(browser, "alarm", [SPIN, ["for 4."]]))
    emulate(browser, 1180, 860)
    save(browser, "live")
    emulate(browser, 1180, 560, "dark")
    browser.evaluate("document.querySelector('#blocks details').open = true")
    save(browser, "live-dark")
    browser.evaluate("document.querySelector('#blocks details').open = false")
    emulate(browser, 390, 700, scale=2)
    save(browser, "live-phone")
    service.end()
    for request in requests:
        request.close()


with tempfile.TemporaryDirectory(prefix="weir-misbehaving-") as folder:
    chromium = Browser(folder) if shutil.which("chromium") else None
    if chromium is None:
        print("# no Chromium: the page was not looked at")
    try:
        if PICTURES is None:
            check_all(chromium)
        else:
            make_pictures(chromium, folder)
    finally:
        if chromium is not None:
            chromium.close()
print(f"1..{len(results)}")
sys.exit(not all(results))
