// A wait with a timeout is all that is pending: the program lives until then.
// weir only: Node 20 ends at once, and never settles it (node #44729).
'use strict';
const begin = performance.now();
const a = new Int32Array(new SharedArrayBuffer(4));
Atomics.waitAsync(a, 0, 0, 300).value.then((text) =>
    console.log(text, performance.now() - begin >= 300));
process.on('exit', () => console.log('exit', performance.now() - begin >= 300));
