// How a worker ends: the code, and what its parent hears before.
const { Worker } = require('worker_threads');

async function ends(code) {
    const heard = [], cells = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(`const { parentPort, workerData: cells } = require('worker_threads');
        const say = (code) => parentPort.postMessage('exit ' + code);
        ${code}`, { eval: true, workerData: cells });
    worker.on('message', (text) => heard.push(text));
    worker.on('error', ({ message }) => {
        heard.push(message, cells[1]);
        Atomics.store(cells, 0, 1);
        Atomics.notify(cells, 0);
    });
    const status = await new Promise((resolve) => worker.on('exit', resolve));
    console.log(status, heard.join(', '));
}

(async () => {
    for (const status of [0, 255, 256, 300, -1, 2 ** 31 - 1])
        await ends(`process.exit(${status})`);
    await ends('process.exitCode = 1000');
    // Its listeners of "exit" come before its parent, and have the last word.
    await ends(`process.on('exit', () => { Atomics.wait(cells, 0, 0, 200); cells[1] = 1; });
        throw new Error('told later')`);
    await ends(`process.on('exit', () => { Atomics.wait(cells, 0, 0, 200); cells[1] = 1; });
        Promise.reject(new Error('told later, too'))`);
    await ends(`process.on('exit', (code) => { say(code); process.exitCode = 9; });
        process.exitCode = 5; throw new Error('another code')`);
    await ends("process.on('exit', () => process.exit(300)); throw new Error('told to nobody')");
    await ends("process.on('exit', () => process.exit(9)); Promise.reject(new Error('nor this'))");
    await ends("process.on('exit', () => { throw new Error('two') }); throw new Error('one')");
    await ends("process.on('exit', () => { throw new Error('at the exit') }); process.exit(4)");
    // A listener that fails: of an error, of a rejection.
    await ends(`process.on('exit', say); process.on('uncaughtException', () => { throw new Error('second') });
        throw new Error('first')`);
    await ends(`process.on('exit', say); process.on('unhandledRejection', () => { throw new Error('second') });
        Promise.reject(new Error('first'))`);
    await ends(`process.on('unhandledRejection', () => { throw new Error('second') });
        process.on('uncaughtException', ({ message }, origin) => parentPort.postMessage(message + ', ' + origin));
        Promise.reject(new Error('first'))`);
})();
