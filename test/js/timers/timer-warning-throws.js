// A program replaces process.emitWarning, and its function throws.
'use strict';
process.emitWarning = () => { throw new Error('no warnings, please'); };
for (const set of [setTimeout, setInterval])
    try {
        clearTimeout(set(() => console.log('never'), 2 ** 31));
        console.log('no error');
    } catch (error) {
        console.log(error.message);
    }
setTimeout(() => console.log('the program goes on'), 1);
