#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Metrics, as Prometheus's own promtool reads them.

    test/api/metrics.py [WEIR]

Prints TAP.
"""
import os
import subprocess
import sys

WEIR = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/weir")
PROGRAM = """
import { metrics } from 'weir:live';
import { Worker } from 'worker_threads';
import fs from 'fs';
await fs.promises.readFile('/dev/null');
const worker = new Worker("require('worker_threads').parentPort.once('message', () => {})",
    { eval: true });
await new Promise((resolve) => worker.on('online', resolve));
for (let i = 0; i < 1000; i++)
    await new Promise(setImmediate);
process.stdout.write(metrics());
worker.postMessage(0);
"""
results = []


def check(name, is_true, *details):
    results.append(bool(is_true))
    print(f"{'' if is_true else 'not '}ok {len(results)} - {name}")
    if not is_true:
        for detail in details:
            print("\n".join(f"#   {line}" for line in str(detail).split("\n")))


def promtool(text):
    return subprocess.run(["promtool", "check", "metrics"], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60)


done = subprocess.run([WEIR, "-"], input=PROGRAM, text=True, timeout=120,
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
check("the program prints its metrics", done.returncode == 0 and done.stdout,
      done.stderr)
checked = promtool(done.stdout)
check("promtool accepts them", checked.returncode == 0 and not checked.stdout,
      checked.stdout)
spoilt = promtool(done.stdout + "weir_loop_turns_total{loop=\"x\"} zzz\n")
check("promtool would notice an error", spoilt.returncode != 0)
for name in ('weir_loop_turns_total{loop="main"}',
             'weir_loop_turns_total{loop="worker-1"}',
             'weir_loop_callback_seconds_bucket{loop="main",le="+Inf"}',
             'weir_pool_jobs_total{pool="pool"}', "process_cpu_seconds_total",
             "weir_js_memory_bytes"):
    check(f"there is {name}", f"\n{name} " in done.stdout, done.stdout)
print(f"1..{len(results)}")
sys.exit(not all(results))
