// What a worker made of text sees: its own name, and no builtins by theirs.
const { Worker } = require('worker_threads');

function code() {
    console.log(__filename, __dirname, module.id, process.argv[1], require.main === module);
    console.log(typeof os, typeof path, typeof fs, typeof Buffer, this === globalThis);
    const names = Reflect.ownKeys(globalThis);
    console.log(['os', 'path', 'events'].filter((name) => names.includes(name)));
    console.log(/\(\[worker eval\]:\d+:\d+\)|at \[worker eval\]:\d+/.test(new Error().stack));
}

new Worker(`(${code}).call(this)`, { eval: true });
