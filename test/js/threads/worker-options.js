// What Worker takes, and what its program finds.
const threads = require('worker_threads');
const { Worker, SHARE_ENV, isMainThread, parentPort, workerData, threadId,
    setEnvironmentData, getEnvironmentData, resourceLimits } = threads;

function attempt(act) {
    try {
        act();
        console.log('no error');
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
}

function result(code, options) {
    return new Promise((done) => {
        const worker = new Worker(`const threads = require('worker_threads');
            const { parentPort, workerData } = threads; ${code}`, { eval: true, ...options });
        worker.on('message', done);
        worker.on('error', (error) => done([error.name, error.message]));
    });
}

(async () => {
    console.log(isMainThread, parentPort, workerData, threadId, resourceLimits);
    for (const args of [[], [5], [null], ['x.js'], [''], ['file:///x.js'], [{}],
        [5, { eval: true }], ['0', { eval: true, env: 5 }],
        ['0', { eval: true, argv: 5 }], ['0', { eval: true, workerData: () => {} }],
        ['0', { eval: true, workerData: new MessageChannel().port1 }],
        ['0', { eval: true, transferList: [5] }]])
        attempt(() => new Worker(...args));

    setEnvironmentData('a', { b: 1 });
    setEnvironmentData('gone', 1);
    setEnvironmentData('gone', undefined);
    console.log(getEnvironmentData('a'), getEnvironmentData('gone'));
    console.log(await result('parentPort.postMessage([threads.getEnvironmentData("a"), threads.getEnvironmentData("gone")])'));

    process.env.WEIR_TEST = 'main';
    console.log(await result('process.env.WEIR_TEST += " copy"; parentPort.postMessage(process.env.WEIR_TEST)'), process.env.WEIR_TEST);
    console.log(await result('process.env.WEIR_TEST += " shared"; parentPort.postMessage(process.env.WEIR_TEST)', { env: SHARE_ENV }), process.env.WEIR_TEST);
    Object.assign(process.env, { WEIR_EMPTY: '', WEIR_EQUALS: 'a=b=c' });
    const three = '[process.env.WEIR_EMPTY, process.env.WEIR_EQUALS, process.env.WEIR_NONE]';
    console.log(await result(`parentPort.postMessage(${three})`));
    console.log(await result(`process.env.WEIR_EMPTY = 'changed'; delete process.env.WEIR_EQUALS;
        new (require('worker_threads').Worker)("require('worker_threads').parentPort.postMessage(${three})",
            { eval: true }).on('message', (value) => parentPort.postMessage(value))`));
    console.log(await result('delete process.env.A; process.env.C = 3; parentPort.postMessage([Object.entries(process.env).sort().join(), "A" in process.env, process.env.B])', { env: { A: 1, B: 2 } }));

    console.log(await result('parentPort.postMessage([threads.isMainThread, typeof threads.threadId, threads.workerData, process.argv.length])', { workerData: { x: [1n] } }));
    console.log(await result('parentPort.postMessage(threads.workerData)'));
    for (const call of ['process.chdir("/")', 'process.umask(0)', 'process.abort()'])
        console.log(await result(`try { ${call} } catch (error) { parentPort.postMessage([error.name, error.code, error.message]) }`));
    console.log(await result('parentPort.postMessage([typeof process.umask(), typeof process.kill, process.pid > 1])'));

    // The exit of a worker is not the program's; nor is unref'd ones' life.
    new Worker('setInterval(() => {}, 1000)', { eval: true }).unref();
    const worker = new Worker('0', { eval: true });
    const id = worker.threadId;
    worker.on('exit', async (code) => {
        console.log(code, id > 0, worker.threadId, await worker.terminate());
        worker.postMessage('to nobody');
        worker.ref();
        worker.unref();
        console.log('end');
    });
})();
