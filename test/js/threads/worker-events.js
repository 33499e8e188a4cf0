// What a parent hears of its workers, one after the other.
const { Worker, MessageChannel } = require('worker_threads');

function run(code, options, use) {
    return new Promise((done) => {
        const worker = new Worker(code, { eval: true, ...options });
        const log = [];
        worker.on('message', (message) => log.push(['message', message]));
        worker.on('error', (error) => log.push(['error', error?.name,
            error?.message ?? error, error?.code, error instanceof Error]));
        worker.on('exit', (code) => { log.push(['exit', code]); done(log); });
        use?.(worker, log);
    });
}
const parent = 'const { parentPort, workerData } = require("worker_threads");';

(async () => {
    console.log(await run('0', {}, (worker, log) => worker.on('online', () => log.push(['online']))));
    console.log(await run('throw new TypeError("bad")'));
    console.log(await run('throw 5'));
    console.log(await run('throw Object.assign(new RangeError("r"), { code: "E", f() {} })'));
    console.log(await run('Promise.reject(Object.assign(new Error("rejected"), { code: "E5" }))'));
    console.log(await run('process.on("uncaughtException", (e) => console.log("own", e.message)); setTimeout(() => console.log("goes on"), 1); throw new Error("caught")'));
    console.log(await run('process.exit(7); console.log("never")'));
    console.log(await run('process.exitCode = 9'));
    console.log(await run('process.on("exit", (code) => { console.log("exit event", code); process.exitCode = 4; })'));
    console.log(await run('function f() { f(); } f()').then((log) => log.map(([event]) => event)));
    console.log(await run(`${parent} parentPort.postMessage(process.argv.slice(1))`, { argv: ['a', 1] }));
    console.log(await run(`${parent} process.env.Y = 2; parentPort.postMessage([process.env.X, process.env.Y, Object.keys(process.env)])`, { env: { X: 1 } }), process.env.Y);
    console.log(await run(`${parent} parentPort.on("message", (m) => { parentPort.postMessage([m]); parentPort.close(); })`, {}, (worker) => worker.postMessage({ a: [1n] })));
    console.log(await run('for (;;);', {}, (worker, log) => worker.on('online', () => setTimeout(async () => log.push(['terminated', await worker.terminate()]), 20))));
    console.log(await run('for (;;) try { for (;;); } catch {} finally { continue; }', {}, (worker) => worker.on('online', () => worker.terminate())));
    console.log(await run('setInterval(() => {}, 1000)', {}, (worker) => worker.on('online', () => worker.terminate())));
    const { port1, port2 } = new MessageChannel();
    port1.on('message', (message) => console.log('port1', message));
    const closed = new Promise((done) => { port1.on('close', done); });
    port1.postMessage('hi');
    console.log(await run(`${parent} workerData.on("message", (m) => { workerData.postMessage([m, 1]); workerData.close(); })`,
        { workerData: port2, transferList: [port2] }));
    await closed;
    console.log('port1 closed');
})();
