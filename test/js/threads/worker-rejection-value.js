// What a worker rejects with, and nobody handles, is an error for its parent
// even if it was none; what it throws is not changed.
const { Worker } = require('worker_threads');
const programs = ['Promise.reject(5)', 'Promise.reject({ a: 1 })', 'Promise.reject([1])',
    'Promise.reject(new (class Foo {}))', 'Promise.reject(Symbol("q"))', 'Promise.reject()',
    'Promise.reject(() => 1)', 'Promise.reject(Object.create(null))',
    'process.on("uncaughtException", (e, origin) => console.log(`${e.name} ${origin}`));' +
        'Promise.reject("text")',
    'throw Symbol("s")', 'throw Symbol()', 'throw { a: 1 }'];

(function next() {
    const program = programs.shift();
    if (program === undefined)
        return;
    console.log(program);
    const worker = new Worker(program, { eval: true });
    worker.on('error', (error) => {
        if (error instanceof Error)
            console.log(error.name, error.code, error.message, error.stack.split('\n')[0]);
        else
            console.log(typeof error, error);
    });
    worker.on('exit', (code) => {
        console.log('exit', code);
        next();
    });
})();
