// exit: 3
// The process ends although workers run, sleep, start, and wait for messages.
const { Worker } = require('worker_threads');
const options = { eval: true };
const codes = ['for (;;);', 'setInterval(() => {}, 1e6)',
    'require("worker_threads").parentPort.on("message", () => {})',
    'const { Worker } = require("worker_threads"); new Worker("for (;;);", { eval: true })'];
let online = 0;
for (const code of codes)
    new Worker(code, options).on('online', () => {
        if (++online < codes.length)
            return;
        new Worker('0', options);
        console.log('leaving');
        process.exit(3);
    });
process.on('exit', (code) => console.log('exit', code));
