// The bytes of a file that was read can be transferred, as those of any buffer.
const fs = require('fs');
const { Worker } = require('worker_threads');

const worker = new Worker(`const { parentPort } = require('worker_threads');
    parentPort.once('message', (bytes) => {
        parentPort.postMessage(bytes, [bytes]);
    });`, { eval: true });

const file = `${require('os').tmpdir()}/weir-transfer-${process.pid}`;
fs.writeFileSync(file, Buffer.alloc(200000, 'weir'));
fs.readFile(file, (error, bytes) => {
    const { buffer } = bytes;
    fs.unlinkSync(file);
    worker.postMessage(buffer, [buffer]);
    console.log(error, bytes.length, buffer.byteLength);
});
worker.on('message', (buffer) => {
    console.log(buffer.byteLength, Buffer.from(buffer, 199996).toString());
});
