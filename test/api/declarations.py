#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir types`: the declarations are those of the modules, and TypeScript uses them.

    test/api/declarations.py [WEIR]

The compiler is that of test/npm; without it, nothing is compiled.  Prints TAP.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                       os.environ.get("WEIR_BUILD", str(ROOT / "build")) + "/weir")
COMPILER = ROOT / "test/npm/node_modules/typescript/bin/tsc"
DEADLINE_S = 300
BAD_OPTION = 9
GOOD = """
import { Jobs, RetryError, UnrecoverableError, type ClaimedJob } from 'weir:jobs';
import { Pool } from 'weir:pool';
import { serve, upgradeWebSocket, type ServeOptions } from 'weir:http';
import { Service } from 'weir:service';
import { Database } from 'weir:sqlite';
import { activeSpan, heapSummary, metrics, save, span } from 'weir:live';
import { choose, invariant, isActive, reachable } from 'weir:explore';

await using jobs = new Jobs('jobs.db', { drain: { soft: 1 } });
const mail = jobs.queue<{ to: string }, number>('mail', { attempts: 5 });
const { id, isNew }: { id: number, isNew: boolean } = await mail.add({ to: 'ann' }, { key: 'k' });
mail.work(async (job, signal) => {
    signal.throwIfAborted();
    if (job.attempt > 3)
        throw new UnrecoverableError('no');
    if (job.data.to === '')
        throw new RetryError('soon', { delay: 5 });
    await job.updateProgress(0.5);
    return job.data.to.length;
}, { concurrency: 4 });
for await (const job of mail.claims())
    await job.complete(job.data.to.length);
jobs.on('completed', (job: ClaimedJob, result) => { console.log(job.id, result); });
const next: Date = await mail.schedule('s', { cron: '@daily', data: { to: 'bob' }, missed: 'one' });
const states: number = (await mail.stats()).jobs.dead + id + Number(isNew) + Number(next);
const pool = new Pool((value: number) => value * 2, { size: 2 });
const double: number = await pool.run(2, { name: 'two' });
mail.work(pool);
const options: ServeOptions = { port: 0, fetch(request, context) {
    if (request.headers.has('upgrade'))
        return upgradeWebSocket(request).response;
    return new Response(context.remoteAddress);
} };
const server = await serve(options);
console.log(server.port, (await server.drain({ deadline: 1 })).cut, double, states);
const service = new Service({ name: 's' });
service.tryEnter('x')?.exit();
const database = await Database.open(':memory:');
const rows: { a: number }[] = await (await database.prepare<{ a: number }>('SELECT 1 AS a')).all();
console.log(rows, await span('name', (one) => one.traceId), activeSpan(), metrics(),
    heapSummary().objects, await save('trace'), choose(2), isActive());
invariant('true', () => true);
reachable('here');
"""
BAD = {
    "an unknown option": "new Jobs('x', { other: 1 });",
    "an event that there is not": "new Jobs('x').on('ended', () => {});",
    "data of another type": "await new Jobs('x').queue<string>('q').add(1);",
    "a member that there is not": "console.log((await serve({ fetch: () => new Response() })).port2);",
    "a handler that returns another type": "serve({ fetch: () => 'text' });",
}
results = []


def check(name, is_true, *details):
    results.append(bool(is_true))
    print(f"{'' if is_true else 'not '}ok {len(results)} - {name}", flush=True)
    if not is_true:
        for detail in details:
            print("\n".join(f"#   {line}" for line in str(detail).split("\n")[:20]))


def run(*command, **rest):
    return subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, timeout=DEADLINE_S, **rest)


def compile_programs(folder, types):
    (folder / "weir.d.ts").write_text(types)
    (folder / "package.json").write_text('{"type": "module"}')
    programs = {"good": GOOD}
    for number, text in enumerate(BAD.values()):
        programs[f"bad{number}"] = "import { Jobs } from 'weir:jobs';\n" \
            f"import {{ serve }} from 'weir:http';\n{text}\nexport {{ Jobs, serve }};\n"
    for name, text in programs.items():
        (folder / f"{name}.ts").write_text(text)
    done = run("node", COMPILER, "--noEmit", "--strict", "--target", "esnext",
               "--module", "nodenext", "--lib", "esnext,dom,dom.iterable",
               *(folder / f"{name}.ts" for name in programs), folder / "weir.d.ts",
               cwd=folder)
    errors = [line.split("(")[0] for line in done.stdout.splitlines() if "): error" in line]
    check("TypeScript accepts a program with all modules", "good.ts" not in errors and
          "weir.d.ts" not in errors, done.stdout)
    for number, what in enumerate(BAD):
        check(f"TypeScript refuses {what}", f"bad{number}.ts" in errors, done.stdout)


def main():
    done = run(WEIR, "types")
    check("weir types prints declarations", done.returncode == 0 and
          done.stdout == (ROOT / "cli/types.d.ts").read_text(), done)
    compared = run(WEIR, ROOT / "test/api/types.mjs", input=done.stdout)
    check("they are what the modules export, with all members",
          compared.stdout == "7 modules, 12 classes\n", compared.stdout, compared.stderr)
    less = done.stdout.replace("        retryAll(): Promise<number>;\n", "") \
        .replace("    function choose(", "    function chose(")
    compared = run(WEIR, ROOT / "test/api/types.mjs", input=less)
    check("the comparison finds what is missing, and what is not there",
          compared.stdout.splitlines()[:-1] == [
              "weir:jobs.Queue.retryAll is not declared", "weir:explore: choose is not declared",
              "weir:explore does not export chose"], compared.stdout)
    refused = run(WEIR, "types", "weir:jobs")
    check("an argument is refused", refused.returncode == BAD_OPTION and
          "takes no arguments: weir:jobs" in refused.stderr and refused.stdout == "", refused)
    helped = run(WEIR, "types", "--help")
    check("--help says how", helped.returncode == 0 and "weir types" in helped.stdout, helped)
    if COMPILER.exists():
        with tempfile.TemporaryDirectory(prefix="weir-types-") as path:
            compile_programs(pathlib.Path(path), done.stdout)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
