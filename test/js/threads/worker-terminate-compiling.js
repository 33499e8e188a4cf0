// weir only: how soon a worker ends is not Node's.
// Terminated while it compiles: each ends with code 1, and takes nothing along.
const { Worker } = require('worker_threads');
const BODIES = [
    'const text = "1+".repeat(1000) + "1"; BEGIN while (1) eval(text)',
    'const text = "x => { let y = [x]; switch (x) { case 1: for (const z of y) ; default: } },".repeat(40); BEGIN while (1) eval(text + "0")',
    'const text = "return " + "a+".repeat(2000) + "a"; BEGIN while (1) new Function("a", text)',
    'const text = "(class { #p = 1; static s = this; get x() { return this.#p } }),".repeat(40); BEGIN while (1) try { eval(text + "0") } catch {}',
    'const text = "(a|b[c-f]*)+?".repeat(100); BEGIN while (1) try { new RegExp(text, "u") } catch {}',
];
const ROUNDS = 24, AT_ONCE = 4;
let begun = 0, ended = 0;

function next() {
    if (begun === ROUNDS)
        return;
    const round = begun++;
    const worker = new Worker(BODIES[round % BODIES.length].replace('BEGIN', 'require("worker_threads").parentPort.postMessage(0);'),
        { eval: true });
    worker.on('error', (error) => console.log(round, error));
    worker.on('exit', (code) => {
        if (code !== 1)
            console.log(round, code);
        if (++ended === ROUNDS)
            console.log('all have ended');
        next();
    });
    worker.on('message', () => setTimeout(() => worker.terminate(), round));
}
for (let i = 0; i < AT_ONCE; i++)
    next();
