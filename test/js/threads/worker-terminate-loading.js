// A worker that is terminated while it loads, many times: no crash, no leak,
// one exit each.  A slow build (a sanitizer's) makes fewer rounds, but a dozen.
// long: thread
const { Worker } = require('worker_threads');
const ROUNDS = 1000, LEAST = 12, AT_ONCE = 4;
const deadline = Date.now() + 20000;
let begun = 0, exits = 0, running = 0;

function next() {
    if (begun === ROUNDS || (begun >= LEAST && Date.now() > deadline)) {
        if (running === 0)
            console.log('all have ended', begun === exits);
        return;
    }
    running++;
    const round = begun++;
    const worker = new Worker('require("util"); require("events"); setInterval(() => {}, 1000)',
        { eval: true });
    worker.on('error', (error) => console.log(error));
    worker.on('exit', () => {
        exits++;
        running--;
        next();
    });
    const end = () => { worker.terminate(); };
    if (round % 4 === 0)
        end();
    else if (round % 4 === 1)
        setImmediate(end);
    else if (round % 4 === 2)
        setTimeout(end, 1);
    else
        worker.on('online', end);
}
for (let i = 0; i < AT_ONCE; i++)
    next();
