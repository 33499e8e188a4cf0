// weir only
// Memory that somebody waits for stays, though nobody has the array any more: no
// other gets its address, and so its notifies.
'use strict';
for (const size of [4, 64, 4096])
    Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(size)), 0, 0, 20)
        .value.then((how) => console.log(size, how));
let woken = 0;
for (let i = 0; i < 1000; i++)
    for (const size of [4, 64, 4096])
        woken += Atomics.notify(new Int32Array(new SharedArrayBuffer(size)), 0);
console.log('woken', woken);
