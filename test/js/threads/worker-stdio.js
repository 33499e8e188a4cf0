// worker.stdin, stdout and stderr.
const { Worker } = require('worker_threads');
const { Readable, Writable } = require('stream');
const { log } = console;
const gather = async (stream) => {
    let all = '';
    for await (const chunk of stream)
        all += chunk;
    return all;
};
const exit = (worker) => new Promise((resolve) => worker.on('exit', resolve));

async function captured() {
    const worker = new Worker(`
        console.log('one', { a: 1 });
        console.error('two');
        process.stdout.write('three\\n', () => process.stdout.write('written\\n'));
        process.stdout.write(Buffer.from('four\\n'));
    `, { eval: true, stdout: true, stderr: true });
    log(worker.stdin, worker.stdout instanceof Readable, worker.stderr instanceof Readable);
    const [out, err, code] = await Promise.all([gather(worker.stdout), gather(worker.stderr), exit(worker)]);
    log(JSON.stringify(out), JSON.stringify(err), code);
}

async function input() {
    const worker = new Worker(`
        process.stdin.setEncoding('utf8');
        process.stdin.on('data', (text) => process.stdout.write(text.toUpperCase()));
        process.stdin.on('end', () => console.log('end of input'));
    `, { eval: true, stdin: true, stdout: true });
    log(worker.stdin instanceof Writable);
    worker.stdin.write('first ');
    worker.stdin.write(Buffer.from('second '));
    worker.stdin.end('third\n');
    log(JSON.stringify(await gather(worker.stdout)));
}

async function exits() {
    const worker = new Worker(`
        for (let i = 0; i < 200; i++)
            process.stdout.write('x'.repeat(1000));
        process.on('exit', () => console.log('last'));
        process.exit(3);
    `, { eval: true, stdout: true });
    const [out, code] = await Promise.all([gather(worker.stdout), exit(worker)]);
    log(out.length, out.slice(-6), code);
}

async function pressure() {
    const worker = new Worker(`
        const { parentPort } = require('worker_threads');
        let accepted = 0;
        while (process.stdout.write('y'.repeat(1000)))
            accepted++;
        process.stdout.on('drain', () => { process.stdout.end('drained'); });
        parentPort.postMessage(accepted);
    `, { eval: true, stdout: true });
    log(await new Promise((resolve) => worker.on('message', resolve)));
    log((await gather(worker.stdout)).slice(-8));
}

// The worker has not used the stream that its parent reads or writes.
async function unused() {
    const worker = new Worker(`
        process.stdin.on('data', (text) => require('worker_threads').parentPort.postMessage(\`\${text}\`));
    `, { eval: true, stdin: true, stdout: true, stderr: true });
    worker.on('message', log);
    worker.on('error', ({ message }) => log('error', message));
    const ended = Promise.all([gather(worker.stdout), gather(worker.stderr), exit(worker)]);
    worker.stdin.end('read');
    log(await ended);
}

async function early() {
    const worker = new Worker(`
        console.log('ready');
        require('worker_threads').parentPort.once('message', () => process.stdin
            .on('data', (text) => process.stdout.write(text))
            .on('end', () => console.log('end of input')));
    `, { eval: true, stdin: true, stdout: true });
    worker.on('error', ({ message }) => log('error', message));
    worker.stdout.once('data', () => {
        worker.stdin.write('early ');
        worker.stdin.end('late ');
        setTimeout(() => worker.postMessage('read'), 20);
    });
    log(JSON.stringify(await gather(worker.stdout)));
}

async function none() {
    const worker = new Worker(`
        process.stdin.on('data', () => {}).on('end', () => {
            require('worker_threads').parentPort.postMessage([process.stdin.fd, process.stdout.writable, process.stdin.readableEnded]);
        });
    `, { eval: true });
    log(worker.stdin, await new Promise((resolve) => worker.on('message', resolve)));
    await exit(worker);
    worker.stdout.resume();
}

(async () => {
    await captured();
    await input();
    await exits();
    await pressure();
    await unused();
    await early();
    await none();
})();
