// A SharedArrayBuffer that can grow has one length, whoever makes it longer.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { log } = console;

if (isMainThread) {
    const buffer = new SharedArrayBuffer(8, { maxByteLength: 4096 });
    const view = new Uint8Array(buffer), whole = new DataView(buffer);
    const fixed = new Uint8Array(buffer, 0, 8);
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(__filename, { workerData: { buffer, view, flag } });
    const steps = [
        (said) => {
            log('worker', said);
            buffer.grow(64);
            worker.postMessage('look');
        },
        (said) => { log('after ours', said); worker.postMessage('grow'); },
        (said) => {
            log('after theirs', said, buffer.byteLength, view.length, view.byteLength, whole.byteLength, fixed.length, view[127]);
            try {
                buffer.grow(100);
            } catch (error) {
                log(error.name);
            }
            worker.postMessage('spin');
        },
        (said) => {
            log(said);
            buffer.grow(1000);
            Atomics.store(flag, 0, 1);
            Atomics.notify(flag, 0);
        },
        (said) => {
            log('after a wait', said);
            buffer.grow(4096);
            Atomics.store(flag, 0, 2);
        },
        (said) => {
            log('after a loop', said);
            const copy = structuredClone(buffer);
            log('copy', copy !== buffer, copy.byteLength, copy.growable, copy.maxByteLength);
        },
    ];
    worker.on('message', (said) => steps.shift()(said));
    worker.on('exit', (code) => {
        log('exit', code, steps.length);
        const small = new SharedArrayBuffer(1, { maxByteLength: 3 }), other = structuredClone(small);
        const mine = new Uint8Array(other);
        small.grow(3);
        log(other.byteLength, mine.length, small.byteLength);
        other.grow(3);
        for (const length of [2, 4, -1])
            try {
                other.grow(length);
            } catch (error) {
                log(error.name, length);
            }
        log(SharedArrayBuffer.prototype.grow.name, SharedArrayBuffer.prototype.grow.length, Atomics.load.name, Atomics.load.length);
    });
} else {
    const { buffer, view, flag } = workerData;
    const say = () => parentPort.postMessage([buffer.byteLength, view.length]);
    parentPort.on('message', (text) => {
        if (text === 'look') {
            view[63] = 1; // without a look at its length
            log(view[63]);
        } else if (text === 'grow') {
            buffer.grow(128);
            view[127] = 7;
        } else {
            parentPort.postMessage('waits');
            Atomics.wait(flag, 0, 0);
            parentPort.postMessage([view.length, view[999], buffer.byteLength]);
            while (Atomics.load(flag, 0) !== 2);
            parentPort.postMessage([view[4095], view.length, buffer.byteLength]);
            parentPort.close();
            return;
        }
        say();
    });
    say();
}
