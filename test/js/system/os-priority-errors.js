// Errors of the system that Node wraps.
'use strict';
const fs = require('fs');
const os = require('os');
const { inspect } = require('util');

for (const run of [
    () => os.getPriority(-1),
    () => os.setPriority(99999999, 1),
    () => os.getPriority(2 ** 31),
    () => os.getPriority('x'),
    () => os.setPriority(0, 20),
    () => fs.rmSync('/tmp'),
])
    try {
        console.log(run());
    } catch (error) {
        console.log(`${error}`, error.name, error.code, error.errno, error.syscall, error.info);
        console.log(Object.keys(error), inspect(error).replace(/\n {4}at .*/g, ''));
        if (error.info !== undefined) {
            error.errno = 1;
            console.log(error.info.errno);
        }
    }
