// weir only: Node's Atomics.wait holds a terminate() for as long as it likes.
// Loops, waits, waits in loops: each ends, soon, and takes nothing along.
const { Worker } = require('worker_threads');
const code = {
    loop: 'for (;;);',
    catching: 'for (;;) try { for (;;); } catch {} finally { continue; }',
    wait: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    waits: 'for (;;) try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1) } catch {}',
    regexp: '/^(a+)+$/.test("a".repeat(100) + "b")',
    jobs: '(function again() { Promise.resolve().then(again); })()',
    ticks: '(function again() { process.nextTick(again); })()',
    sleep: 'setTimeout(() => {}, 1e6)',
    async: 'Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value.then(console.log)',
    clones: 'const all = Array.from({ length: 30000 }, () => ({})); for (;;) try { structuredClone(all) } catch {}',
    reads: 'const fs = require("fs"); for (;;) try { fs.readFileSync(process.execPath) } catch {}',
    sorts: 'const all = Array.from({ length: 20000 }, (_, i) => i % 7); for (;;) try { all.sort() } catch {}',
    texts: 'const all = Array.from({ length: 20000 }, () => 1); for (;;) try { JSON.stringify(all) } catch {}',
    parses: 'const text = `[${"1,".repeat(20000)}1]`; for (;;) try { JSON.parse(text) } catch {}',
    sort: 'const all = Array.from({ length: 20000 }, (_, i) => i % 7); for (;;) all.sort()',
    exit: 'process.on("exit", () => { for (;;); })',
};
let left = Object.keys(code).length, slowest = 0;
const other = new Worker('require("worker_threads").parentPort.on("message", (m) => require("worker_threads").parentPort.postMessage(m + 1))', { eval: true });

for (const [name, text] of Object.entries(code)) {
    const worker = new Worker(text, { eval: true });
    worker.on('error', (error) => console.log(name, error));
    worker.on('online', () => setTimeout(async () => {
        const began = Date.now();
        const code = await worker.terminate();
        slowest = Math.max(slowest, Date.now() - began);
        if (code !== 1)
            console.log(name, code);
        if (--left === 0)
            other.postMessage(1);
    }, 20));
}
other.on('message', (message) => {
    console.log('all have ended', message, slowest < 10000);
    other.terminate();
});
