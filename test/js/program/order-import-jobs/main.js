// How many jobs import() takes: of what is loaded already, of builtins and
// CommonJS, of what fails; and how many after a module has run.  Node reads
// ES modules meanwhile, so "many" is all there are to count.
let isDone, jobs = 0, run = 0;
globalThis.count = () => {
    const mine = ++run;
    jobs = 0;
    (function next() {
        if (mine === run && ++jobs < 60 && !isDone)
            queueMicrotask(next);
    })();
};
globalThis.log = (...words) => console.log(...words, jobs < 60 ? jobs : 'many');

async function measure(name) {
    isDone = false;
    const imported = import(name).then(() => log(name),
        (error) => log(name, error.code ?? error.name)).then(() => isDone = true);
    count();
    await imported;
    await new Promise(setImmediate);
}

(async () => {
    for (const name of ['node:fs', './common.cjs', './guessed.js', './throws.cjs', './module.mjs', './deep.mjs',
        './waits.mjs', './fails.mjs', './broken.mjs', './misses.mjs', './syntax.mjs'])
        for (const time of [1, 2])
            await measure(name);
    for (const name of ['./none.mjs', 'node:none', 'none', './module.mjs?query'])
        await measure(name);
})();
