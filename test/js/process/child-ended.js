'use strict';
// What a child has sent comes before its end, also when both are found at once.
const { fork } = require('child_process');
const { readFileSync } = require('fs');

function isZombie(pid) {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
}

if (process.argv[2] === 'child') {
    process.once('message', () => {
        process.send('first');
        process.send('second', () => process.exit(3));
    });
} else {
    const child = fork(__filename, ['child']);
    for (const name of ['message', 'disconnect', 'exit', 'close'])
        child.on(name, (...args) => {
            args.length = Math.min(args.length, name === 'message' ? 1 : 2);
            console.log(name, ...args, child.connected, child.exitCode);
        });
    child.on('spawn', () => child.send('go', () => {
        while (!isZombie(child.pid))
            ;
    }));
}
