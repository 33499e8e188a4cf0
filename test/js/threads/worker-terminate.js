// weir only: Node's Atomics.wait holds a terminate() for as long as it likes.
// Loops, waits, waits in loops, and in loops of what takes the engine long: each
// ends, and takes nothing along.
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
    clones: 'const all = Array.from({ length: 30000 }, () => ({})); BEGIN for (;;) try { structuredClone(all) } catch {}',
    reads: 'const fs = require("fs"); for (;;) try { fs.readFileSync(process.execPath) } catch {}',
    sorts: 'const all = Array.from({ length: 300000 }, (_, i) => i % 7); BEGIN for (;;) try { all.sort() } catch {}',
    texts: 'const all = Array.from({ length: 300000 }, () => 1); BEGIN for (;;) try { JSON.stringify(all) } catch {}',
    parses: 'const text = `[${"1,".repeat(20000)}1]`; BEGIN for (;;) try { JSON.parse(text) } catch {}',
    sort: 'const all = Array.from({ length: 300000 }, (_, i) => i % 7); BEGIN for (;;) all.sort()',
    exit: 'process.on("exit", () => { for (;;); })',
};
let left = Object.keys(code).length;
const other = new Worker('require("worker_threads").parentPort.on("message", (m) => require("worker_threads").parentPort.postMessage(m + 1))', { eval: true });

for (const [name, text] of Object.entries(code)) {
    const begin = 'require("worker_threads").parentPort.postMessage(0); ';
    const worker = new Worker(text.includes('BEGIN') ? text.replace('BEGIN', begin)
        : begin + text, { eval: true });
    worker.on('error', (error) => console.log(name, error));
    worker.on('message', () => setTimeout(async () => {
        const code = await worker.terminate();
        if (code !== 1)
            console.log(name, code);
        if (--left === 0)
            other.postMessage(1);
    }, 20));
}
other.on('message', (message) => {
    console.log('all have ended', message);
    other.terminate();
});
