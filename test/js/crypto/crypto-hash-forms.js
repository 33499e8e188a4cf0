// What digests take and give in every form, one after the other and at the same time: weir uses
// the state of a digest that is gone for the next one.
'use strict';
const crypto = require('crypto');

const show = (f) => {
    try {
        console.log(f());
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
};
const sha = (data, encoding) => crypto.createHash('sha256').update(data, encoding);

// every form of a result
for (const encoding of ['hex', 'HEX', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'utf8',
    'ucs2', 'utf16le', 'buffer', 'nonsense', '', null, undefined, 5])
    show(() => sha('abc').digest(encoding));
for (const encoding of ['hex', 'buffer', 'nonsense', undefined])
    show(() => {
        const hmac = crypto.createHmac('sha1', 'key').update('abc');
        return [hmac.digest(encoding), hmac.digest(encoding)];
    });

// every form of data
const bytes = Buffer.from('some bytes, and others');
for (const data of ['', 'a\u0000b', 'é€😀', '\ud800', 'a\udc00b', 'x'.repeat(1000), bytes,
    bytes.subarray(5, 9), new Uint8Array(bytes), new Uint16Array([1, 2, 3]), new Float64Array([1.5]),
    new BigInt64Array(2), new DataView(bytes.buffer, bytes.byteOffset, 4), new Uint8Array(0),
    new Uint8Array(new SharedArrayBuffer(4)), new Uint8ClampedArray(3)])
    show(() => sha(data).digest('hex'));
for (const encoding of ['utf8', 'hex', 'base64', 'latin1', 'utf16le', 'nonsense', null])
    show(() => sha('6162ff', encoding).digest('hex'));
for (const data of [undefined, null, 5, {}, [1], new ArrayBuffer(2), Symbol('s'), new String('a')])
    show(() => sha(data).digest('hex'));

// many at a time, and one after another
const names = ['md5', 'sha1', 'sha256', 'sha512', 'sha3-256', 'shake128', 'ripemd160'];
const running = names.map((name) => crypto.createHash(name));
for (let i = 0; i < 50; i++) {
    running.forEach((hash, j) => hash.update(`${i} ${j}`));
    crypto.createHash(names[i % 7]).update('secret'); // never finished
    show(() => crypto.createHash(names[(i + 3) % 7]).digest('hex'));
}
for (const hash of running)
    show(() => [hash.copy().digest('base64'), hash.digest('hex')]);

// objects
class Own extends crypto.Hash {
    twice(data) { return this.update(data).update(data); }
}
show(() => new Own('sha1').twice('ab').digest('hex'));
show(() => new Own('sha1') instanceof Own);
class Mac extends crypto.Hmac {}
show(() => new Mac('sha1', 'k').update('ab').digest('hex'));
const over = crypto.createHash('sha1');
over.digest();
show(() => [crypto.createHash('sha1', { highWaterMark: 5 }), over]);
show(() => Object.keys(over));
show(() => over.digest('hex'));
show(() => over.update(''));
show(() => over.copy());
for (const method of ['update', 'digest'])
    show(() => {
        try {
            crypto.Hash.prototype[method].call({}, 'a');
        } catch (error) {
            return error instanceof TypeError;
        }
    });
