// An error of a builtin module shows its code as a string, too.
'use strict';
const fs = require('fs');

for (const run of [
    () => fs.readFileSync(5.5),
    () => fs.openSync('/', 'bad flag'),
    () => fs.readFileSync('/absent'),
    () => new URL('bad'),
    () => new URL(),
    () => Buffer.alloc('x'),
    () => require('./absent'),
    () => require('path').join(1),
    () => new (require('events'))().emit('error', 5),
    () => require('assert')(0),
    () => process.chdir(1),
    () => require('util').promisify(1),
    () => fs.writeFileSync('/tmp', 1),
    () => setTimeout(1),
])
    try {
        run();
        console.log('no error');
    } catch (error) {
        const [first] = String(error).split('\n');
        console.log(first, Object.keys(error).includes('toString'), error.name);
        error.message = 'changed';
        console.log(`${error}`);
    }
