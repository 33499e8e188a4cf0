#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What weir says while a program blocks its event loop.

Each program in test/api/blocked/ blocks at the line with the comment "here".
It does so until this test has seen the message, and creates the file whose name
is the program's first argument; or it takes long enough by itself; or it is
killed.  Nothing here depends on how long anything takes.
"""
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = os.environ.get("WEIR_BUILD", str(ROOT / "build")) + "/weir"
PROGRAMS = ROOT / "test" / "api" / "blocked"
DEADLINE_S = 120
STACKS = "tsan" not in WEIR  # ThreadSanitizer delays signals

count = failures = 0


def check(is_right, name, details=""):
    global count, failures
    count += 1
    print(f"{'ok' if is_right else 'not ok'} {count} - {name}", flush=True)
    if not is_right:
        failures += 1
        for line in str(details).splitlines():
            print(f"#   {line}")


class Program:
    """A program that runs, and what it has printed on stderr so far."""

    def __init__(self, name, *args, options=("--blocked-after=50",)):
        self.folder = tempfile.TemporaryDirectory(prefix="weir-watchdog-")
        self.sign = pathlib.Path(self.folder.name) / "sign"
        self.path = PROGRAMS / name
        if name == "fifo.js":
            os.mkfifo(self.sign)
        self.process = subprocess.Popen(
            [WEIR, *options, self.path, self.sign, *map(str, args)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.errors = ""

    def place(self):
        """The file and line that block."""
        lines = self.path.read_text().splitlines()
        line = next(i for i, line in enumerate(lines, 1) if "// here" in line)
        return f"/{self.path.name}:{line}:"

    def read_until(self, pattern):
        """Read stderr until it has this; None if it ends before."""
        deadline = time.monotonic() + DEADLINE_S
        while not (found := re.search(pattern, self.errors, re.M)):
            ready, _, _ = select.select([self.process.stderr], [], [],
                                        max(0, deadline - time.monotonic()))
            data = os.read(self.process.stderr.fileno(), 65536) if ready else b""
            if not data:
                return None
            self.errors += data.decode(errors="replace")
        return found

    def tell(self):
        """Tell the program that its block was seen."""
        if self.path.name == "fifo.js":
            self.sign.write_bytes(b"x")
        else:
            self.sign.touch()

    def end(self, kills=False):
        if kills:
            self.process.kill()
        output, errors = self.process.communicate(timeout=DEADLINE_S)
        self.errors += errors.decode(errors="replace")
        self.folder.cleanup()
        return output.decode()


def is_at(program, text):
    """Whether a line of a message names the right place."""
    return program.place() in text


def blocks(name, *args, kills=False, tells=True, what="", has=(), options=None):
    """A program whose first message, and whose story, name the right line."""
    program = Program(name, *args, **({"options": options} if options else {}))
    # A machine with too few cores may block it elsewhere before.
    began = program.read_until(r"^weir: .* is blocked for .*" + program.place() + r".*\n")
    first = began[0] if began else ""
    if tells and not kills:
        program.tell()
    output = program.end(kills)
    check(is_at(program, first) and all(text in first for text in has),
          f"{name}: {what}", first or program.errors)
    if not kills:
        story = re.search(r"^weir: .* was blocked for .*" + program.place() +
                          r".*\n  JavaScript\n(    .*\n)+" +
                          (r"  C\n(    .*\n)+" if STACKS else ""), program.errors, re.M)
        check(story is not None,
              f"{name}: the story has both stacks", program.errors)
    return program, output


def test_culprits():
    blocks("spin.js", kills=True, what="a loop without a call", has=("timer", "running"))
    blocks("calls.js", what="a loop with calls", has=("immediate",))
    blocks("regexp.js", kills=True, what="a regular expression", has=("running",))
    blocks("fifo.js", what="reading a FIFO", has=("asleep in ",) if STACKS else ())
    if STACKS:
        blocks("json.js", 400000, tells=False, what="JSON.parse")
        blocks("sort.js", 400000, tells=False, what="sort")
    blocks("microtasks.js", what="a chain of microtasks", has=("microtask",),
           options=["--blocked-after=50", "--microtask-budget=0"])
    program, _ = blocks("requests.js", what="a slow request", has=("GET /slow,",))
    check("secret" not in program.errors, "requests.js: the query is not shown",
          program.errors)


def test_main():
    blocks("main.js", what="the main module", has=(" by the main module: ",))
    program = Program("worker-main.js")
    program.read_until(r"^weir: worker 1 is blocked for .* by the main module: .*" +
                       program.place() + r".*\n")
    program.tell()
    output = program.end()
    check(output == "worker 1 main the main module\n",
          "worker-main.js: the main module of a worker", output + program.errors)


def test_worker():
    program = Program("wait.js")
    program.read_until(r"^weir: worker 1 was blocked(.*\n)*  C\n(    .*\n)+")
    output = program.end()
    check(output == "worker 1 hang asleep in futex\nexit 0\n",
          "wait.js: the main thread hears of a worker", output + program.errors)
    if STACKS:
        check(is_at(program, program.errors), "wait.js: Atomics.wait in a worker",
              program.errors)


def test_congestion():
    # Not too short: one slow callback would make it a hang.
    program = Program("timers.js", options=["--blocked-after=300"])
    began = program.read_until(r"^weir: main is blocked for .* by \d+ callbacks in one turn, "
                               r"the last a timer: ")
    program.tell()
    program.end()
    check(began is not None, "timers.js: congestion is not a hang", program.errors)


def test_memory():
    if not STACKS:
        return
    program = Program("collect.js", 3000000, options=["--blocked-after=20"])
    began = program.read_until(r"^weir: main is blocked for .* a timer, collecting memory.*\n")
    program.end()
    check(began is not None, "collect.js: freeing memory is named", program.errors)

    program = Program("churn.js", options=["--blocked-after=20"])
    output = program.end()
    check(output == "true false\n", "churn.js: freeing a few objects is not blamed",
          output + program.errors)


def test_limit():
    program = Program("limit.js", options=["--blocked-after=1000"])
    output = program.end()
    check(output == "ERR_WORKER_BLOCKED Worker terminated because it was blocked for "
          "50 ms\nexit 1\n", "limit.js: a limit terminates the worker",
          output + program.errors)
    program = Program("pool.js", options=["--blocked-after=1000"])
    output = program.end()
    check(output == "0\nERR_POOL_WORKER_EXITED ERR_WORKER_BLOCKED\n1\n1\n",
          "pool.js: a limit aborts the task of a pool", output + program.errors)


def test_events():
    program = Program("events.js")
    program.read_until(r"^weir: main is blocked for .*" + program.place())
    program.tell()
    output = program.end()
    lines = output.splitlines()
    check("weir:blocked began" in lines and "weir:blocked ended" in lines and
          f"began hang main timer {STACKS and 'true true' or 'true false'} true 1" in lines
          and f"ended hang main timer {STACKS and 'true true' or 'true false'} true 1"
          in lines, "events.js: the program hears of its own block", output + program.errors)


def test_stop():
    """SIGSTOP in the middle of a short callback is nobody's fault."""
    source = ("setInterval(() => { const end = performance.now() + 5;"
              "while (performance.now() < end); }, 1); console.log('ready');")
    process = subprocess.Popen([WEIR, "--blocked-after=200", "-e", source],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    for _ in range(3):
        time.sleep(0.1)  # what happens here, and not how long it takes
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        time.sleep(0.5)  # longer than the limit
        process.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    process.kill()
    errors = process.communicate()[1].decode()
    check("blocked" not in errors, "SIGSTOP blames nobody", errors)


def wakes(pid):
    total = 0
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        total += sum(map(int, re.findall(r"ctxt_switches:\s+(\d+)", path.read_text())))
    return total


def test_idle():
    """An idle program does not wake up."""
    process = subprocess.Popen(
        [WEIR, "--blocked-after=1000", "-e", "setTimeout(() => {}, 1e8); console.log('ready')"],
        stdout=subprocess.PIPE)
    process.stdout.readline()
    before, now, calm = -1, wakes(process.pid), 0
    while before != now and calm < 20:  # until it has settled
        time.sleep(0.5)
        before, now, calm = now, wakes(process.pid), calm + 1
    time.sleep(2 if "WEIR_BRIEF" in os.environ else 10)
    after = wakes(process.pid)
    process.kill()
    process.communicate()
    check(after == now, "an idle program makes no wake-ups", f"{now} then {after}")


def test_off():
    program = Program("calls.js", options=["--blocked-after=0"])
    program.tell()
    program.end()
    check(program.errors == "", "--blocked-after=0 turns it off", program.errors)


if __name__ == "__main__":
    only = sys.argv[1:]
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not only or name[5:] in only):
            test()
    print(f"1..{count}")
    sys.exit(failures != 0)
