// weir only: Node tells it all in one callback, the messages first.
// A worker that has ended before its parent's loop turns: "online", "exit" and
// more messages than one turn serves are all there, and each is a callback of
// its own, with its ticks and promises behind it.
const { Worker } = require('worker_threads');
const { existsSync } = require('fs');

const COUNT = 2500, THREAD = 0; // messages; a word: the worker's thread
const words = new Int32Array(new SharedArrayBuffer(4));
const log = [];
let next = 0, isOpen = false, together = 0; // of a callback, until its jobs have run

function begin() {
    together += isOpen;
    isOpen = true;
    process.nextTick(() => Promise.resolve().then(() => process.nextTick(() => { isOpen = false; })));
}

function note(name) {
    log.push(name);
    process.nextTick(() => log.push(`${name}: tick`));
    Promise.resolve().then(() => log.push(`${name}: promise`)).then(() => log.push(`${name}: promise of it`));
    queueMicrotask(() => process.nextTick(() => log.push(`${name}: tick of a microtask`)));
}

function hear(number) {
    begin();
    if (number !== next++)
        log.push(`${number} instead of ${next - 1}`);
    if (number === 0 || number >= COUNT - 2)
        note(`message ${number}`);
}

const worker = new Worker(`const { parentPort, workerData: words } = require('worker_threads');
    for (let i = 0; i < ${COUNT}; i++)
        parentPort.postMessage(i);
    const [, thread] = /task\\/(\\d+)/.exec(require('fs').readlinkSync('/proc/thread-self'));
    Atomics.store(words, ${THREAD}, Number(thread));`, { eval: true, workerData: words });
worker.on('online', () => { begin(); note('online'); });
worker.on('message', hear);
worker.on('exit', () => {
    begin();
    note('exit');
    setImmediate(() => console.log(log.join('\n'), `\n${together} callbacks with another's jobs to come`));
});

// Not a turn of the loop from here until the thread is no more.
let thread;
while ((thread = Atomics.load(words, THREAD)) === 0);
while (existsSync(`/proc/self/task/${thread}`));
log.push('ended');
