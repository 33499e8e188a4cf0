// weir only
// A worker has its own limit: what runs out is its alone, and said so.
const { Worker } = require('worker_threads');

async function run(code, limits, use) {
    const worker = new Worker(code, { eval: true, resourceLimits: limits });
    const log = [];
    worker.on('error', (error) => log.push([error.name, error.code]));
    worker.on('message', (message) => log.push(message));
    use?.(worker);
    log.push(await new Promise((done) => { worker.on('exit', done); }));
    return log;
}

(async () => {
    const limits = { maxOldGenerationSizeMb: 8, stackSizeMb: 2 };
    console.log(await run('const list = []; for (;;) list.push(new Array(1000).fill({}));', limits));
    console.log(await run('const list = []; setInterval(() => { for (let i = 0; i < 1000; i++) list.push({ i }); }, 0);', limits));
    // One that catches it goes on.
    console.log(await run(`const { parentPort } = require('worker_threads');
        try { new ArrayBuffer(100 << 20); } catch (error) { parentPort.postMessage('caught'); }`, limits));
    // ... and fails later for another reason.
    console.log(await run(`try { new ArrayBuffer(100 << 20); } catch {}
        setImmediate(() => { throw new RangeError('later'); });`, limits));
    // A listener that runs out itself is not the reason.
    console.log(await run(`process.on('uncaughtException', () => {
        const list = []; for (;;) list.push(new Array(1000).fill({})); }); throw 1;`, limits));
    // What comes and goes by transfer is counted, both times.
    console.log(await run(`const { parentPort } = require('worker_threads');
        let count = 0;
        parentPort.on('message', () => {
            if (++count < 20)
                return;
            parentPort.postMessage(new ArrayBuffer(1 << 20).byteLength);
            parentPort.close();
        });`, limits, (worker) => {
        for (let i = 0; i < 20; i++) {
            const buffer = new ArrayBuffer(1 << 20);
            worker.postMessage(buffer, [buffer]);
        }
    }));
    // A message that does not fit is a messageerror.
    console.log(await run(`const { parentPort } = require('worker_threads');
        parentPort.on('messageerror', (error) => { parentPort.postMessage(['messageerror', typeof error]); });
        parentPort.on('message', (message) => { parentPort.postMessage(message); parentPort.close(); });`,
    limits, (worker) => { worker.postMessage('x'.repeat(20 << 20)); worker.postMessage('small'); }));
    // ... and an error of the worker if it does not listen for those.
    console.log(await run(`const { parentPort } = require('worker_threads');
        parentPort.on('message', (message) => { parentPort.postMessage(message); parentPort.close(); });`,
    limits, (worker) => { worker.postMessage('x'.repeat(20 << 20)); worker.postMessage('small'); }));
    console.log(await run('function f() { return f() + 1; } f()', { stackSizeMb: 1 })
        .then((log) => log.at(-1)));
    console.log(await run('0', { maxOldGenerationSizeMb: 0.01 }));
})();
