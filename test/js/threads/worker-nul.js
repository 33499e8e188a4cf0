// Code may contain NULs; the name of a file may not.
'use strict';
const { Worker, isMainThread } = require('worker_threads');

function startWorkers() {
    new Worker('console.log("a\0b".length, [..."\0"].length)', { eval: true })
        .on('exit', (status) => {
            console.log('exit', status);
            new Worker(`${__filename}\0.js`)
                .on('error', ({ name, code }) => console.log(name, code));
        });
}

function load() {
    for (const name of [`${__filename}\0`, `${__filename}\0.js`, `${__filename}\0/x`,
        './worker-nul\0', './none\0', 'fs\0']) {
        try {
            require(name);
        } catch ({ name: kind, code }) {
            console.log(JSON.stringify(name.replace(__dirname, '')), kind, code);
        }
    }
    return import(`${require('url').pathToFileURL(__filename)}%00`)
        .catch(({ name, code }) => console.log('import', name, code));
}

if (isMainThread)
    load().then(startWorkers);
else
    console.log('never');
