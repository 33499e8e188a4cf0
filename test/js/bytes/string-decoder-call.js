// StringDecoder called on an object of a program, and views of detached buffers.
'use strict';
const { StringDecoder } = require('string_decoder');
const { isAscii, isUtf8 } = require('buffer');

function Own(encoding) {
    StringDecoder.call(this, encoding);
}
Object.setPrototypeOf(Own.prototype, StringDecoder.prototype);
const own = new Own('utf8');
console.log(own.write(Buffer.from([0xe2, 0x82])), own.lastNeed, own.end(Buffer.from([0xac])),
    own.encoding, own instanceof StringDecoder);
const plain = {};
StringDecoder.call(plain, 'latin1');
console.log(plain.encoding, Object.keys(plain), Object.keys(StringDecoder.prototype));
class Derived extends StringDecoder {}
console.log(new Derived('utf16le').write(Buffer.from([0x61, 0])), StringDecoder.length,
    StringDecoder.name);
for (const run of [() => StringDecoder('utf8'), () => new StringDecoder('bad')])
    try {
        console.log(run());
    } catch (error) {
        console.log(error.name, error.code);
    }

const buffer = new ArrayBuffer(4), view = new Uint8Array(buffer);
console.log(isAscii(buffer), isUtf8(view));
structuredClone(buffer, { transfer: [buffer] });
for (const input of [buffer, view])
    for (const check of [isAscii, isUtf8])
        try {
            console.log(check(input));
        } catch (error) {
            console.log(`${error}`, error.code);
        }
