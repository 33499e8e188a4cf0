// stdin | ../program/order-classic.js
// A worker reads files through the same pool; its stdin is empty, whatever the
// process's is.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const fs = require('fs');
if (isMainThread) {
    const worker = new Worker(__filename, { workerData: 'a worker' });
    worker.on('message', (text) => console.log(text));
    worker.on('error', (error) => console.log('error', error));
    worker.on('exit', (code) => {
        console.log('exit', code);
        process.stdin.setEncoding('utf8');
        let text = '';
        process.stdin.on('data', (more) => { text += more; });
        process.stdin.on('end', () => console.log(text === fs.readFileSync('../program/order-classic.js', 'utf8')));
    });
} else {
    (async () => {
        let count = 0;
        for await (const chunk of process.stdin)
            count += chunk.length;
        parentPort.postMessage(`stdin ${count}`);
        const names = await Promise.all(Array.from({ length: 50 }, () => fs.promises.readFile(__filename)));
        parentPort.postMessage(`${names.length} ${names.every((data) => data.equals(names[0]))}`);
        parentPort.postMessage(await fs.promises.stat('nope').catch((error) => error.message));
    })();
}
