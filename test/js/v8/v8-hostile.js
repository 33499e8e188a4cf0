// long: address
'use strict';
// Damaged input gives a value or an error, and never more memory than it has.
const v8 = require('v8');
const { Random } = require('../support/random.cjs');

const random = new Random();
const value = { a: [1, 2.5, 'text', '€', 5n, new Date(), /x/g], m: new Map([[1, { b: new Set(['x']) }]]), u: new Uint8Array(5), e: new Error('e'),
    s: [1, , 3], n: Object(5) };
value.self = value;
const good = v8.serialize(value);
random.expect('outcome', ['value', 'error']);
for (let i = 0; i < 5000; i++) {
    const bytes = Buffer.from(good);
    const how = random.choose('how', ['flip', 'cut', 'many']);
    for (let n = how === 'many' ? 10 : 1; n > 0; n--)
        bytes[2 + random.below(bytes.length - 2)] = random.below(256);
    try {
        v8.deserialize(how === 'cut' ? bytes.subarray(0, random.below(bytes.length)) : bytes);
        random.note('outcome', 'value');
    } catch (error) {
        if (!(error instanceof Error))
            console.log(error);
        random.note('outcome', 'error');
    }
}
console.log('done');
