// weir only
// SHARE_ENV hands on the variables of the process; a worker's own cannot be shared.
const { Worker, SHARE_ENV } = require('worker_threads');

const code = `const { Worker, SHARE_ENV } = require('worker_threads');
    process.env.WEIR_OUTER = 'outer';
    try {
        new Worker('process.env.WEIR_INNER = process.env.WEIR_OUTER', { eval: true, env: SHARE_ENV });
    } catch ({ code, message }) {
        console.log(code, message);
    }`;

(async () => {
    for (const env of [{ A: 1 }, undefined, SHARE_ENV]) {
        const worker = new Worker(code, { eval: true, env });
        await new Promise((resolve) => worker.on('exit', resolve));
        console.log(process.env.WEIR_OUTER, process.env.WEIR_INNER);
    }
})();
