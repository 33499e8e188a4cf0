// Arrays that follow their buffer have its current length everywhere, not the one
// that they began with.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const { webcrypto } = require('crypto');

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-'));
const file = path.join(directory, 'file');

function use(array) {
    new Uint8Array(array.buffer).fill(97);
    fs.writeFileSync(file, array);
    console.log(array.length, fs.statSync(file).size, Buffer.from(array.buffer).length,
        new TextDecoder().decode(array).length, structuredClone(array).length,
        Buffer.from(array).length);
}

const shrunk = new Uint8Array(new ArrayBuffer(100000, { maxByteLength: 100000 }));
use(shrunk);
for (const size of [10, 0, 50000]) {
    shrunk.buffer.resize(size);
    use(shrunk);
}

const grown = new Uint8Array(new ArrayBuffer(4, { maxByteLength: 100 }), 2);
grown.buffer.resize(50);
use(grown);
webcrypto.getRandomValues(grown);
console.log(grown.subarray(2).some((byte) => byte !== 97));

const shorts = new Uint16Array(new ArrayBuffer(10, { maxByteLength: 100 }));
shorts.buffer.resize(7);
fs.writeFileSync(file, shorts);
console.log(shorts.length, fs.readFileSync(file).length);

const words = new Int32Array(new SharedArrayBuffer(4, { maxByteLength: 16 }));
words.buffer.grow(16);
console.log(Atomics.notify(words, 3), words.length);

const fixed = new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 }), 2, 4);
fixed.buffer.resize(16);
fs.writeFileSync(file, fixed);
console.log(fixed.length, fs.readFileSync(file).length);

fs.promises.writeFile(file, shrunk).then(() => {
    console.log(fs.statSync(file).size);
    fs.rmSync(directory, { recursive: true });
});
