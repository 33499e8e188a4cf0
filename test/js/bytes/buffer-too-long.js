// weir only: Node's limit is half as large
// The text of a buffer that would be too long.
// long: address
'use strict';
const { constants: { MAX_STRING_LENGTH } } = require('buffer');

const buffer = Buffer.allocUnsafe(2 ** 29); // not touched
for (const encoding of ['hex', 'HEX'])
    try {
        console.log(buffer.toString(encoding).length);
    } catch (error) {
        console.log(error.name, error.code, error.message, MAX_STRING_LENGTH === 0x3fffffff);
    }
console.log(buffer.toString('hex', 0, 1).length);
