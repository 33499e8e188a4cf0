// SPDX-License-Identifier: MIT
// SHA-256: nanoseconds for 64 MiB, and for 64 bytes whose digest is a Buffer, or a string.  The
// first rounds are a warm-up.
'use strict';
const { createHash } = require('crypto');

const SHORT = 200000;
const large = Buffer.alloc(64 << 20, 'x'), small = Buffer.alloc(64, 'x');

const rounds = [
    [1, () => createHash('sha256').update(large).digest()],
    [SHORT, () => createHash('sha256').update(small).digest()],
    [SHORT, () => createHash('sha256').update(small).digest('hex')],
];

for (const [count, round] of rounds) {
    for (let i = 0; i < Math.ceil(count / 10); i++)
        round();
    const began = performance.now();
    for (let i = 0; i < count; i++)
        round();
    console.log((performance.now() - began) * 1e6 / count);
}
