// weir only
// stderr: MicrotaskBudgetWarning: Many microtasks in a row
// The engine is asked who is busy in the middle of a regular expression; what a
// program has put in the way of that must not run there.
'use strict';
const { Worker, isMainThread, workerData } = require('worker_threads');

const traps = {
    stack: (run) => Object.defineProperty(Error.prototype, 'stack', { get: run }),
    prepare: (run) => { Error.prepareStackTrace = run; },
    limit: (run) => { Error.stackTraceLimit = { valueOf: run }; },
};

function spring(name) {
    const pattern = /(a+)+(b|$)x/;
    let turns = 0, isInside = false, count = 0;
    traps[name](() => {
        if (isInside) {
            count++;
            pattern.compile('z'); // its code goes while it runs
        }
        return 10;
    });
    queueMicrotask(function turn() {
        if (++turns < 100010)
            return queueMicrotask(turn);
        isInside = true;
        const found = pattern.exec('a'.repeat(20));
        isInside = false;
        console.log(name, found, count);
    });
}

if (!isMainThread)
    spring(workerData);
else
    (async () => {
        for (const name of Object.keys(traps))
            await new Promise((resolve) => new Worker(__filename,
                { workerData: name }).on('exit', resolve));
        spring('stack');
    })();

// long: thread
