// weir only
// weir:live: metrics() as text for Prometheus.
import { metrics } from 'weir:live';
import { Worker } from 'worker_threads';
import fs from 'fs';

const sample = (text, name) => {
    const line = text.split('\n').find((l) => l.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length));
};
console.log(metrics.contentType);
const first = metrics();
console.log(first.endsWith('\n'), sample(first, 'weir_js_memory_bytes') > 0);
console.log(sample(first, 'weir_pool_jobs_total{pool="pool"}')); // no pool yet
await fs.promises.readFile(import.meta.filename);
await new Promise((resolve) => setTimeout(resolve, 5));
const worker = new Worker("require('worker_threads').parentPort.on('message', () => process.exit())", { eval: true });
await new Promise((resolve) => worker.on('online', resolve));
const second = metrics();
console.log(sample(second, 'weir_pool_jobs_total{pool="pool"}') > 0);
console.log(sample(second, 'weir_loop_turns_total{loop="worker-1"}') >= 0);
const counters = first.split('\n').filter((l) => /^\w+_total|_(count|sum|bucket){/.test(l))
    .map((l) => l.slice(0, l.lastIndexOf(' ')));
console.log(counters.length > 20, counters.filter((name) => sample(second, name) < sample(first, name)));
worker.postMessage(0);
await new Promise((resolve) => worker.on('exit', resolve));
console.log(metrics().includes('worker-1'));
