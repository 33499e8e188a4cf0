#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir test`: files in processes of their own, against `node --test`.  Prints TAP.

    test/api/runner.py [NAME ...]
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEIR = ROOT / os.environ.get("WEIR_BUILD", "build") / "weir"
DEADLINE_S = 120

loader = importlib.machinery.SourceFileLoader("run_js", str(ROOT / "tools" / "run-js"))
spec = importlib.util.spec_from_loader("run_js", loader)
run_js = importlib.util.module_from_spec(spec)
loader.exec_module(run_js)

FILES = {
    "a.test.js": """
        const { test } = require('node:test');
        test('a1', () => console.log('output of a'));
        test('a2', () => { throw Object.assign(new Error('with a list'), { list: [1n, null] }); });
        test('a3', { skip: 'reason' });
        """,
    "test/b.mjs": """
        import { describe, it } from 'node:test';
        import assert from 'node:assert';
        describe('b', () => {
            it('b1', () => {});
            it('b2', () => assert.deepStrictEqual({ a: { b: 1 } }, { a: { b: 2 } }));
        });
        """,
    "sub/c_test.cjs": """
        const { test } = require('node:test');
        console.error('error output of c');
        test('c1', async (t) => {
            t.diagnostic('a diagnostic');
            await t.test('c2', () => {});
        });
        """,
}


class Directory:
    """Files in a directory of their own."""

    def __init__(self, files):
        self.files = files

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="weir-test-")).resolve()
        for name, text in self.files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("\n        ", "\n").lstrip())
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def start(self, *arguments, **more):
        return subprocess.Popen(arguments, cwd=self.path, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def run(self, *arguments):
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=DEADLINE_S)
        return process.returncode, output, errors

    def report(self, *arguments):
        status, output, _ = self.run(*arguments)
        text = run_js.report_of(output, self.path / "x.js")
        return status, re.sub(r"^ *at .*\n", "", text, flags=re.M)


def expect(actual, wanted):
    if actual != wanted:
        raise AssertionError(f"got {actual!r}, expected {wanted!r}")


def expect_in(part, text):
    if part not in text:
        raise AssertionError(f"no {part!r} in {text!r}")


def results_are_those_of_node():
    with Directory(FILES) as directory:
        for reporter in ("tap", "spec", "junit", "dot"):
            option = f"--test-reporter={reporter}"
            expect(directory.report(WEIR, "test", option),
                   directory.report("node", "--test", option))


def options_for_tests_reach_the_files():
    with Directory(FILES) as directory:
        for option in ("--test-name-pattern=[ab]1", "--test-only", "--test-shard=2/3"):
            expect(directory.report(WEIR, "test", option),
                   directory.report("node", "--test", option))


def reports_come_in_the_order_of_files():
    files = {f"{name}.test.js": f"""
        require('node:test')('{name}', async () => {{
            for (let i = 0; i < {turns}; i++)
                await new Promise(setImmediate);
        }});
        """ for name, turns in (("a", 2000), ("b", 200), ("c", 0))}
    with Directory(files) as directory:
        expect(directory.report(WEIR, "test", "--test-concurrency=1"),
               directory.report(WEIR, "test", "--test-concurrency=3"))


def discovery_is_that_of_node():
    names = ["test.js", "test-x.mjs", "x-test.cjs", "x_test.js", "x.test.js", "xtest.js",
             "other.js", "tests.js", "test/any.js", "test/deep/any.mjs",
             "test/data.json", "sub/test/any.js", "sub/other.js", "node_modules/m/test.js",
             "sub/node_modules/m/test.js", "Test.js", ".test.js", "-test.js"]
    with Directory({name: "" for name in names}) as directory:
        for arguments in ([], ["sub"], ["test"], ["other.js", "sub"], ["test", "test/any.js"]):
            found = [re.findall("^# Subtest: (.*)", directory.run(*command)[1], re.M)
                     for command in ([WEIR, "test", *arguments], ["node", "--test", *arguments])]
            expect(found[0], found[1])


def a_crash_is_contained():
    files = {
        "a-test.js": "process.kill(process.pid, 'SIGKILL');",
        "b-test.js": "require('node:test')('b', () => {}); process.exitCode = 3;",
        "c-test.js": "this is not JavaScript",
        "d-test.js": "require('node:test')('d', () => {});",
        "e-test.js": "throw new Error('at the top level');",
    }
    with Directory(files) as directory:
        status, output, _ = directory.run(WEIR, "test", "--test-reporter=tap")
        expect(status, 1)
        expect(re.findall(r"^(?:not )?ok \d+ - \S+", output.replace(f"{directory.path}/", ""),
                          re.M),
               ["not ok 1 - a-test.js", "ok 2 - b", "not ok 3 - b-test.js",
                "not ok 4 - c-test.js", "ok 5 - d", "not ok 6 - e-test.js"])
        for line in ("signal: 'SIGKILL'", "exitCode: 3", "SyntaxError", "at the top level",
                     "1..6", "# pass 2", "# fail 4"):
            expect_in(line, output)


def large_events_and_output_of_workers_do_not_mix():
    files = {"large.test.js": """
        const { test } = require('node:test');
        const { Worker } = require('node:worker_threads');
        const loud = 'for (let i = 0; i < 2000; i++) console.log("w".repeat(50));';
        test('large', async (t) => {
            const worker = new Worker(loud, { eval: true });
            const ended = new Promise((resolve) => worker.on('exit', resolve));
            for (let i = 0; i < 20; i++)
                await t.test(`t${i}`, () => { throw new Error('x'.repeat(30000)); });
            await ended;
        });
        """}
    with Directory(files) as directory:
        status, output, _ = directory.run(WEIR, "test", "--test-reporter=tap")
        expect(status, 1)
        expect(output.count("w" * 50), 2000)
        expect(len(re.findall(r"error: 'x{10000}'\.\.\. 20000 more characters", output)), 20)
        expect(output.count("\ufffd"), 0)


def a_file_that_takes_too_long_is_killed():
    with Directory({"slow.test.js": "for (;;);", "quick.test.js": ""}) as directory:
        status, output, _ = directory.run(WEIR, "test", "--test-timeout=2000")
        expect(status, 1)
        expect_in("test timed out after 2000ms", output)
        expect_in("# pass 1\n# fail 0\n# cancelled 1", output)


def ctrl_c_names_what_was_running():
    files = {"hangs.test.js": """
        const { test } = require('node:test');
        console.error(process.pid);
        test('quick', () => {});
        test('hangs', async (t) => {
            await t.test('inside', () => new Promise(() => {
                let turns = 0;
                setInterval(() => console.log(`turn ${++turns}`), 1);
            }));
        });
        """, "later.test.js": ""}
    with Directory(files) as directory:
        process = directory.start(WEIR, "test", "--test-concurrency=1", "--test-reporter=spec")
        output = ""
        # Events take a few turns to stdout; those before this line have come.
        while "turn 20\n" not in output:
            output += process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=DEADLINE_S)
        expect(process.returncode, 130)
        expect_in("Interrupted while these were running:\n  hangs.test.js\n", errors)
        expect_in("    hangs (4:1)\n      inside (", errors)
        expect_in("cancelled 2", rest)
        child = int(re.search(r"^\d+$", output + rest, re.M)[0])
        try:
            os.kill(child, 0)
            raise AssertionError(f"{child} lives")
        except ProcessLookupError:
            pass


def reporters_write_to_files():
    with Directory(FILES) as directory:
        status, output, _ = directory.run(
            WEIR, "test", "--test-reporter=tap", "--test-reporter-destination=out.tap",
            "--test-reporter=dot", "--test-reporter-destination=stdout")
        expect(status, 1)
        expect_in("TAP version 13", (directory.path / "out.tap").read_text())
        expect_in("# fail 2", (directory.path / "out.tap").read_text())
        expect_in("Failed tests:", output)


def nonsense_is_refused():
    with Directory(FILES) as directory:
        for arguments, status, message in (
                (["test", "--nothing"], 9, "bad option: --nothing"),
                (["test", "a.test.js", "--test-nothing=1"], 9, "bad option: --test-nothing=1"),
                (["test", "--test-concurrency=0"], 9, "bad value: --test-concurrency=0"),
                (["test", "--test-timeout=soon"], 9, "bad value: --test-timeout=soon"),
                (["test", "--test-name-pattern=("], 9, "invalid regular expression"),
                (["test", "--test-shard=5"], 9, "must be in the form of <index>/<total>"),
                (["test", "--test-shard=3/2"], 9, "must be from 1 to 2"),
                (["test", "--test-reporter=tap", "--test-reporter=dot"], 9,
                 "must match the number of"),
                (["test", "--test-reporter=nosuch"], 1, "Cannot find module 'nosuch'"),
                (["test", "-e", "1"], 9, "not in --eval"),
                (["--watch", "a.test.js"], 9, "--watch needs `weir test`"),
                (["test", "nosuch.js"], 1, f"Could not find '{directory.path}/nosuch.js'")):
            got, _, errors = directory.run(WEIR, *arguments)
            expect_in(message, errors)
            expect(got, status)


def help_is_about_tests():
    with Directory({}) as directory:
        status, output, _ = directory.run(WEIR, "test", "--help")
        expect(status, 0)
        expect_in("usage: weir test [options] [files or directories]", output)


def no_files_is_no_failure():
    with Directory({"other.js": ""}) as directory:
        expect(directory.report(WEIR, "test"), directory.report("node", "--test"))
        expect(directory.run(WEIR, "--test")[0], 0)


def watch_runs_what_a_change_affects():
    files = {"a.test.js": "require('node:test')('a ' + require('./value.js'), () => {});",
             "b.test.js": "require('node:test')('b', () => {});",
             "value.js": "module.exports = 'one';"}
    with Directory(files) as directory:
        process = directory.start(WEIR, "test", "--watch", "--test-reporter=tap")

        def until(text):
            lines = []
            while not lines or text not in lines[-1]:
                lines.append(process.stdout.readline())
                if lines[-1] == "":
                    raise AssertionError(f"no {text!r} in {lines!r}")
            return "".join(lines)

        first = until("# duration_ms")
        expect_in("ok 1 - a one", first)
        expect_in("ok 2 - b", first)
        (directory.path / "value.js").write_text("module.exports = 'two';")
        second = until("# duration_ms")
        expect_in("ok 1 - a two", second)
        expect("ok 2" in second, False)
        (directory.path / "c.test.js").write_text("require('node:test')('c', () => {});")
        expect_in("ok 1 - c", until("# duration_ms"))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=DEADLINE_S)
        expect(process.returncode, 130)


def a_test_is_explored():
    files = {"explored.test.js": """
        const assert = require('node:assert');
        const { test, describe, it, beforeEach } = require('node:test');
        const { Worker, isMainThread, workerData } = require('node:worker_threads');
        const increment = (view) => Atomics.store(view, 0, Atomics.load(view, 0) + 1);
        if (!isMainThread)
            return increment(workerData);
        let prepared = 0;
        beforeEach(() => prepared++);
        async function body() {
            const view = new Int32Array(new SharedArrayBuffer(4));
            const worker = new Worker(__filename, { workerData: view });
            increment(view);
            await new Promise((resolve) => worker.on('exit', resolve));
            assert.strictEqual(prepared > 0 && Atomics.load(view, 0), 2);
        }
        test('before', () => { throw new Error('not explored'); });
        describe('suite', () => {
            it('fails', { explore: { preemptions: 1 } }, body);
            it('passes', { explore: { exhaustive: true } }, () => assert.ok(prepared));
            it('is replayed', { explore: { replay: '01111' } }, body);
            it('opens a socket', { explore: { executions: 5 } },
                () => require('node:net').createServer().listen(0));
        });
        test('around', async (t) => {
            await t.test('inner', { explore: { executions: 3 }, timeout: 60000 }, () => {});
        });
        """}
    with Directory(files) as directory:
        status, output, errors = directory.run(WEIR, "test", "--test-reporter=tap")
        expect(status, 1)
        results = re.findall(r"^ *((?:not )?ok \d+ - [\w ]+)$", output, re.M)
        expect(results, ["not ok 1 - before", "not ok 1 - fails", "ok 2 - passes",
                         "not ok 3 - is replayed", "not ok 4 - opens a socket",
                         "not ok 2 - suite", "ok 1 - inner", "ok 3 - around"])
        for text in ("# replay: --replay=", "worker 1", "Atomics.store([0], 1) = 1",
                     "repeat it with explore: { replay:", "# nothing found",
                     "cannot be explored: a socket"):
            expect_in(text, output + errors)


def plain(text):
    """Without durations, and without the blanks at the ends of lines."""
    return re.sub(r" *$", "", re.sub(r"\([\d.]+ms\)", "(ms)", text), flags=re.M)


def the_guide_is_true():
    guide = (ROOT / "docs" / "guide" / "testing.md").read_text()
    for name, code in re.findall(r"^```js +(\S+)\n(.*?)^```$", guide, re.M | re.S):
        expect_in(code, (ROOT / name).read_text())
    shown = re.findall(r"^```text ([^\n]*)\n(.*?)^```$", guide, re.M | re.S)
    expect(len(shown), 2)
    for command, text in shown:
        words = command.split()
        variables = [word for word in words if "=" in word and not word.startswith("-")]
        words = words[len(variables):]
        result = subprocess.run(
            [WEIR, *words[1:]], cwd=ROOT, text=True, stdout=subprocess.PIPE,
            timeout=DEADLINE_S, check=False,
            env={**os.environ, **dict(variable.split("=") for variable in variables)})
        expect_in(plain(text), plain(result.stdout))


CASES = [results_are_those_of_node, options_for_tests_reach_the_files,
         reports_come_in_the_order_of_files, discovery_is_that_of_node, a_crash_is_contained,
         large_events_and_output_of_workers_do_not_mix, a_file_that_takes_too_long_is_killed,
         ctrl_c_names_what_was_running, reporters_write_to_files, nonsense_is_refused,
         help_is_about_tests, no_files_is_no_failure, watch_runs_what_a_change_affects,
         a_test_is_explored, the_guide_is_true]


def main():
    failed = 0
    cases = [case for case in CASES if len(sys.argv) < 2 or case.__name__ in sys.argv[1:]]
    for number, case in enumerate(cases, 1):
        try:
            case()
            print(f"ok {number} - {case.__name__}", flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {number} - {case.__name__}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
    print(f"1..{len(cases)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
