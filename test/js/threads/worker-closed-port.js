// weir only: Node does not end.
// One end closes while the other posts: nothing is left hanging.
const { Worker, MessageChannel } = require('worker_threads');
let left = 20;

for (let round = 0; round < 20; round++) {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(`const { workerData: port } = require('worker_threads');
        let isOpen = true;
        port.on('close', () => { isOpen = false; });
        (function post() {
            for (let i = 0; i < 50; i++)
                port.postMessage({ i, buffer: new ArrayBuffer(100) });
            if (isOpen)
                setImmediate(post);
        })();`, { eval: true, workerData: port2, transferList: [port2] });
    let count = 0;
    port1.on('message', ({ i, buffer }) => {
        if (buffer.byteLength !== 100)
            console.log('wrong');
        if (++count === round * 7 + 1)
            port1.close();
    });
    worker.on('exit', (code) => {
        if (code !== 0)
            console.log('code', code);
        if (--left === 0)
            console.log('all have ended');
    });
}
