// Large arrays and deep objects.
'use strict';
const { inspect } = require('util');

// Elements that are not shown take no time of their own, or this would take long.
const large = new Array(3e6).fill(1);
large.extra = 'e';
large[-1] = 'negative';
large['01'] = 'not an index';
large[4294967295] = 'too large';
large[4294967296] = 'larger';
large[Symbol('s')] = 's';
for (let i = 0; i < 10; i++)
    console.log(inspect(large, { maxArrayLength: 2 }));
const bytes = Object.assign(new Uint8Array(2e6), { extra: 1 });
console.log(inspect(bytes, { maxArrayLength: 1 }), inspect(new Float64Array(1e6), { maxArrayLength: 0 }));
const sparse = [1, , 3];
sparse[1e9] = 'far';
console.log(sparse, inspect([1, 2], { showHidden: true }), inspect(Object.assign([], { a: 1 })));

let deep = {};
for (let i = 0; i < 100000; i++)
    deep = i % 2 ? { deep } : [deep];
const text = inspect(deep, { depth: Infinity, compact: true, breakLength: Infinity });
console.log(/\[(Object|Array): Inspection interrupted prematurely\. Maximum call stack size exceeded\.\]/.test(text));
console.log(inspect(deep));
