// Workers that compile, clone and answer; one fails, one is terminated.
const { Worker } = require('worker_threads');
const answer = 'const { parentPort: p } = require("worker_threads"); p.on("message", (m) => { p.postMessage({ m, f: eval("(" + "1+".repeat(200) + "1)") }); p.close(); })';
async function main() {
    let sum = 0;
    for (let round = 0; round < 3; round++) {
        const workers = Array.from({ length: 2 }, () => new Worker(answer, { eval: true }));
        const answers = workers.map((worker) => new Promise((resolve, reject) => { worker.on('message', resolve); for (const event of ['error', 'messageerror', 'exit']) worker.on(event, reject); }));
        workers.forEach((worker, i) => worker.postMessage({ list: Array.from({ length: 200 }, () => ({ i })) }));
        for (const { m, f } of await Promise.all(answers)) sum += m.list.length + f;
    }
    const failing = new Worker('throw new TypeError("on purpose")', { eval: true });
    await new Promise((resolve) => failing.on('error', resolve));
    const busy = new Worker('for (;;) eval("1+".repeat(300) + "1")', { eval: true });
    await new Promise((resolve) => busy.on('online', resolve));
    await busy.terminate();
    console.log(sum, 'done');
}
main();
