#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""repl -- build/weir on a terminal: what a person types, and sees.

    test/api/repl.py [CASE ...]

Each case has a terminal of its own (a pty).  It waits for what it expects, for
DEADLINE_S at the most, and for nothing else.  WEIR= names another program, but
none with ThreadSanitizer: it keeps signals back while a loop sleeps.  Prints TAP.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEIR = os.environ.get("WEIR", str(ROOT / "build" / "weir"))
DEADLINE_S = 30
PROMPT = re.escape("\x1b[0J> \r\x1b[2C")  # an empty line, and the cursor in it
MORE = re.escape("\x1b[0J... \r\x1b[4C")
UP, LEFT, CTRL_LEFT = "\x1b[A", "\x1b[D", "\x1b[1;5D"


class Terminal:
    def __init__(self, history="", columns=80, **more):
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent",
                       "TERM": "xterm", "NO_COLOR": "1",
                       "WEIR_REPL_HISTORY": history, **more}
        self.seen, self.rest = "", ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ,
                        struct.pack("HHHH", 24, columns, 0, 0))
            os.execve(WEIR, [WEIR], environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        try:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def read(self, until):
        if not select.select([self.fd], [], [], max(0, until - time.time()))[0]:
            raise AssertionError(f"not in time; seen {self.rest!r}")
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other end is gone
            data = b""
        if not data:
            raise EOFError(f"it has ended; seen {self.rest!r}")
        text = data.decode()
        self.seen += text
        self.rest += text

    def see(self, *patterns):
        """Each pattern, one behind the other."""
        until = time.time() + DEADLINE_S
        for pattern in patterns:
            while not (match := re.search(pattern, self.rest, re.S)):
                self.read(until)
            self.rest = self.rest[match.end():]

    def type(self, text, *patterns):
        os.write(self.fd, text.encode())
        self.see(*patterns)

    def status(self):
        until = time.time() + DEADLINE_S
        try:
            while True:
                self.read(until)
        except EOFError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def values_are_printed():
    with Terminal() as tty:
        tty.see(r"weir [\d.]+ \(quickjs-ng [\d.]+\)", PROMPT)
        tty.type("6 * 7\r", r"\n42\r\n", PROMPT)
        tty.type("_ + 1\r", r"\n43\r\n", PROMPT)
        tty.type("{a: 1}\r", r"\n\{ a: 1 \}\r\n", PROMPT)
        tty.type("'a'\r", r"\n'a'\r\n", PROMPT)
        tty.type("let x = 5; const f = () => x\r", r"\nundefined\r\n", PROMPT)
        tty.type("f()\r", r"\n5\r\n", PROMPT)
        tty.type("\r", PROMPT)
        tty.type("fs.existsSync(os.devNull)\r", r"\ntrue\r\n", PROMPT)
        tty.type("require('path').basename('/a/b')\r", r"\n'b'\r\n", PROMPT)


def errors_are_told_and_it_goes_on():
    with Terminal() as tty:
        tty.see(PROMPT)
        tty.type("nope\r", r"\nUncaught ReferenceError: nope is not defined\r\n\r", PROMPT)
        tty.type("_error.name\r", r"\n'ReferenceError'\r\n", PROMPT)
        tty.type("throw 5\r", r"\nUncaught 5\r\n", PROMPT)
        tty.type("let let\r", r"\nUncaught SyntaxError", PROMPT)
        tty.type("function g() { throw new Error('in g') }\r", PROMPT)
        tty.type("g()\r", r"\nUncaught Error: in g\r\n    at g \(REPL\d+:1:\d+\)\r\n\r", PROMPT)
        tty.type("Promise.reject(new Error('lost'))\r", r"Uncaught Error: lost")
        tty.type("setTimeout(() => { throw new Error('late') }, 1)\r", r"Uncaught Error: late")
        tty.type("1 + 1\r", r"\n2\r\n", PROMPT)


def await_waits_and_can_be_left():
    with Terminal() as tty:
        tty.see(PROMPT)
        tty.type("await Promise.resolve(7)\r", r"\n7\r\n", PROMPT)
        tty.type("const y = await new Promise((r) => setTimeout(r, 5, 'later'))\r",
                 r"\nundefined\r\n", PROMPT)
        tty.type("y\r", r"\n'later'\r\n", PROMPT)
        tty.type("await Promise.reject(new Error('no'))\r", r"\nUncaught Error: no\r\n", PROMPT)
        tty.type("await new Promise(() => console.log('for ever'))\r", r"\nfor ever\r\n")
        tty.type("typed meanwhile\x03", r"\^C\r\n", PROMPT)
        tty.type("1 + 2\r", r"\n3\r\n", PROMPT)


def code_that_runs_for_ever_is_stopped():
    with Terminal() as tty:
        tty.see(PROMPT)
        tty.type("await 1; console.log('busy'); for (;;);\r", r"\nbusy\r\n")
        tty.type("\x03", r"\^C\r\n", PROMPT)
        for code in ["for (;;);", "for (;;) try { for (;;); } catch {}"]:
            tty.type(f"console.log('busy'); {code}\r", r"\nbusy\r\n")
            tty.type("\x03", r"Uncaught Error: Script execution was interrupted by "
                     r"`SIGINT`\r\n", PROMPT)
        tty.type("1 + 2\r", r"\n3\r\n", PROMPT)


def timers_run_while_it_waits():
    with Terminal() as tty:
        tty.see(PROMPT)
        tty.type("setTimeout(() => console.log('tick', n), 1); var n = 3\r", r"tick 3\r\n")
        tty.type("n + 1\r", r"\n4\r\n", PROMPT)


def code_goes_on_over_lines():
    with Terminal() as tty:
        tty.see(PROMPT)
        tty.type("function add(a,\r", MORE)
        tty.type("b) {\r", MORE)
        tty.type("return a + b // }\r", MORE)
        tty.type("}\r", r"\nundefined\r\n", PROMPT)
        tty.type("add(1, 2)\r", r"\n3\r\n", PROMPT)
        tty.type("`a${[1,\r", MORE)
        tty.type("2]}\r", MORE)
        tty.type("`\r", r"\n'a1,2\\n'\r\n", PROMPT)
        tty.type("/[(]\\(/.test('((') + \"(\"\r", r"\n'true\('\r\n", PROMPT)
        tty.type("/* not\r", MORE)
        tty.type("yet */ 5\r", r"\n5\r\n", PROMPT)
        tty.type("[1,\r", MORE)
        tty.type("\x03", r"\^C\r\n", PROMPT)
        tty.type("{\r", MORE)
        tty.type(".break\r", PROMPT)
        tty.type("[1,\r2,\r3]\r", r"\n\[ 1, 2, 3 \]\r\n", PROMPT)  # pasted


def lines_are_edited():
    with Terminal() as tty:
        tty.see(PROMPT)
        for keys, value in [
                ("13" + LEFT + "2\r", 123), ("12\x7f3\r", 13),
                ("2\x01" + "1\r", 12), ("23" + "\x01" + "\x1b[C" + "9\r", 293),
                ("1 + 99\x17" + "4\r", 5), ("99\x15" + "8\r", 8),
                ("76" + LEFT + "\x0b\r", 7), ("12\x01\x04\r", 2),
                ("12" + "\x01" + "\x1b[3~\r", 2), ("1 + 2" + CTRL_LEFT + "4\r", 43),
                ("'\u4e2d\u6587'.length" + "\r", 2), ("'\U0001f30a'" + LEFT + "\x7f" + "ab\x05.length\r", 2)]:
            tty.type(keys, rf"\n{value}\r\n", PROMPT)
        # Wider than the terminal: the cursor is where the next letter goes.
    with Terminal(columns=20) as tty:
        tty.see(PROMPT)
        tty.type("'" + "x" * 40 + "'", r"x'\x1b?.*?\r\x1b\[4C")
        tty.type(".length\r", r"\n40\r\n", PROMPT)
        tty.type("'" + "y" * 17, r"y\r?\n\r$")  # to the very edge
        tty.type("'.length\r", r"\n17\r\n", PROMPT)


def history_is_kept():
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "history")
        with Terminal(history=name) as tty:
            tty.see(PROMPT)
            tty.type("1 + 100\r", r"\n101\r\n", PROMPT)
            tty.type("2 + 200\r", r"\n202\r\n", PROMPT)
            tty.type(UP + UP + "0\r", r"\n1001\r\n", PROMPT)
            tty.type("dra" + UP + "\x1b[B" + "\x15" + "7\r", r"\n7\r\n", PROMPT)
            tty.type(".exit\r")
            assert tty.status() == 0
        assert open(name).read() == "1 + 100\n2 + 200\n1 + 1000\n7\n.exit\n"
        assert os.stat(name).st_mode & 0o777 == 0o600
        with Terminal(history=name) as tty:
            tty.see(PROMPT)
            tty.type(UP * 4 + "\r", r"\n202\r\n", PROMPT)


def type_and_leave(name, *keys):
    with Terminal(history=name) as tty:
        tty.see(PROMPT)
        tty.type("6 * 7\r", r"\n42\r\n", PROMPT)
        for key, pattern in keys:
            tty.type(key, pattern, PROMPT)
        tty.type(".exit\r")
        assert tty.status() == 0


def history_is_not_followed_through_a_symbolic_link():
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "history")
        other = os.path.join(directory, "other")
        pathlib.Path(other).write_text("'not' + ' mine'\n")
        os.symlink(other, name)
        type_and_leave(name, (UP + UP + "\r", r"\n42\r\n"))
        assert pathlib.Path(other).read_text() == "'not' + ' mine'\n"
        os.unlink(other)
        type_and_leave(name)
        assert not os.path.exists(other), "it was made through the link"


def history_that_others_can_read_is_made_private():
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "history")
        for text, mode in ("", 0o666), ("'old'\n", 0o644), ("'old'\n", 0o400):
            pathlib.Path(name).write_text(text)
            os.chmod(name, mode)
            with Terminal(history=name) as tty:
                tty.see(PROMPT)  # when it has been read
                tty.type("5\r", r"\n5\r\n", PROMPT)
                assert os.stat(name).st_mode & 0o077 == 0, oct(mode)
            os.unlink(name)


def history_is_a_regular_file():
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "history")
        os.mkfifo(name, 0o600)
        type_and_leave(name)


def history_keeps_a_thousand_lines():
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "history")
        pathlib.Path(name).write_text("".join(f"{i}\n" for i in range(1500)))
        os.chmod(name, 0o600)
        type_and_leave(name, (UP + UP + "\r", r"\n1499\r\n"))
        lines = pathlib.Path(name).read_text().split("\n")
        assert lines[0] == "500" and lines[999:] == ["1499", "6 * 7", "1499", ".exit", ""], lines[998:]


def tab_completes():
    with Terminal() as tty:
        tty.see(PROMPT)
        tty.type("proc\t", r"> process\r")
        tty.type(".vers\t", r"> process\.version\r")
        tty.type("\t", r"\nversion +versions\r\n", r"> process\.version\r")
        tty.type(".len\t\r", r"\n\d+\r\n", PROMPT)
        tty.type("const mine = { property: 11 }\r", PROMPT)
        tty.type("mine.prop\t\r", r"\n11\r\n", PROMPT)
        tty.type(".he\t", r"> \.help\r")
        tty.type("\r", r"\.break.*\.exit.*\.help", PROMPT)
        tty.type("no.such.thi\t\x03", PROMPT)


def it_is_left_in_each_way():
    for keys, seen in [("\x04", r"\r\n"), (".exit\r", r"\.exit"), ("process.exit(0)\r", r"exit")]:
        with Terminal() as tty:
            tty.see(PROMPT)
            tty.type(keys, seen)
            assert tty.status() == 0
    with Terminal() as tty:
        tty.see(PROMPT)
        tty.type("\x03", r"To exit, press Ctrl\+C again", PROMPT)
        tty.type("1\r", r"\n1\r\n", PROMPT)
        tty.type("\x03", r"To exit", PROMPT)
        tty.type("\x03")
        assert tty.status() == 0
    with Terminal() as tty:
        tty.see(PROMPT)
        tty.type("process.exitCode = 3; process.exit()\r")
        assert tty.status() == 3


def the_terminal_is_given_back():
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    pid = os.fork()
    if pid == 0:
        for fd in range(3):
            os.dup2(theirs, fd)
        os.execve(WEIR, [WEIR], {"TERM": "xterm", "WEIR_REPL_HISTORY": "", "NO_COLOR": "1"})
    text = ""
    while not re.search(PROMPT, text):
        text += os.read(ours, 65536).decode()
    assert termios.tcgetattr(theirs) != before
    os.write(ours, b"\x04")
    assert os.waitpid(pid, 0)[1] == 0
    assert termios.tcgetattr(theirs) == before


def a_dumb_terminal_gets_plain_lines():
    with Terminal(TERM="dumb") as tty:
        tty.see(r"\n> $")
        tty.type("1 + 1\n", r"\n2\r\n> $")
        tty.type("[1,\n", r"\n\.\.\. $")
        tty.type("2]\n", r"\n\[ 1, 2 \]\r\n> $")
        assert "\x1b" not in tty.seen
        tty.type("\x04")
        assert tty.status() == 0


CASES = [values_are_printed, errors_are_told_and_it_goes_on, await_waits_and_can_be_left,
         code_that_runs_for_ever_is_stopped,
         timers_run_while_it_waits, code_goes_on_over_lines, lines_are_edited,
         history_is_kept, history_is_not_followed_through_a_symbolic_link,
         history_that_others_can_read_is_made_private, history_is_a_regular_file,
         history_keeps_a_thousand_lines, tab_completes, it_is_left_in_each_way,
         the_terminal_is_given_back, a_dumb_terminal_gets_plain_lines]


def main():
    failed = 0
    cases = [case for case in CASES
             if len(sys.argv) == 1 or case.__name__ in sys.argv[1:]]
    for number, case in enumerate(cases, 1):
        problem = None
        try:
            case()
        except (AssertionError, EOFError) as error:
            problem = error
            line = error.__traceback__
            while line.tb_next is not None and line.tb_next.tb_frame.f_code.co_name not in (
                    "see", "read", "type"):
                line = line.tb_next
        failed += problem is not None
        print(f"{'not ok' if problem else 'ok'} {number} - {case.__name__.replace('_', ' ')}")
        if problem:
            print(f"# line {line.tb_lineno}: {problem}")
    print(f"1..{len(cases)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
