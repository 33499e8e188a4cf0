// Digests and HMACs: results, errors, copies, and as streams.
'use strict';
const crypto = require('crypto');
const { Transform, pipeline } = require('stream');

function show(f) {
    try {
        console.log(f());
    } catch (error) {
        console.log(error.name, error.code, error.message, Object.keys(error));
    }
}

for (const name of crypto.getHashes())
    console.log(name, crypto.createHash(name).update('abc').digest('hex'));
for (const name of ['md5', 'sha1', 'sha256', 'sha512', 'sha3-256', 'RSA-SHA256', 'blake2b512'])
    for (const key of ['', 'key', 'k'.repeat(200), new Uint8Array(64), new DataView(new ArrayBuffer(3))])
        console.log(name, crypto.createHmac(name, key).update('a').update('bc').digest('base64'));

// errors
show(() => crypto.createHash('xyz'));
show(() => crypto.createHash());
show(() => crypto.createHash('sha1').update(5));
show(() => crypto.createHash('sha1').update(new ArrayBuffer(3)));
for (const method of ['update', 'digest', 'copy'])
    show(() => {
        const hash = crypto.createHash('sha1');
        hash.digest();
        hash[method]('a');
    });
show(() => crypto.createHmac('xyz', 'k'));
show(() => crypto.createHmac('sha1'));
show(() => crypto.createHmac('sha1', 5));
show(() => crypto.createHmac());
show(() => {
    const hmac = crypto.createHmac('sha1', 'k');
    console.log(hmac.digest('hex'), hmac.digest('hex') === '', hmac.digest());
    hmac.update('x');
});

// lengths
for (const [name, outputLength] of [['sha1', 5], ['sha1', 20], ['shake128', 5], ['shake256', 0],
    ['shake256', 300], ['shake128', -1], ['shake128', 1.5], ['shake128', '5'], ['shake128', 2 ** 32]])
    show(() => crypto.createHash(name, { outputLength }).update('x').digest('hex'));

// encodings
show(() => crypto.createHash('SHA256').update('\xe9', 'latin1').digest('base64url'));
show(() => crypto.createHash('sha1').update('6162', 'hex').digest('latin1').length);
show(() => crypto.createHash('sha1').update('abc', 'nonsense').digest('hex'));
show(() => crypto.createHash('sha1').digest('nonsense'));
show(() => crypto.createHash('sha1').digest('buffer'));

// hash()
show(() => crypto.hash('sha1', 'abc'));
show(() => crypto.hash('sha1', new Uint16Array([1, 2]), 'base64'));
show(() => crypto.hash('sha1', 'abc', 'buffer'));
show(() => crypto.hash('xyz', 'abc'));
show(() => crypto.hash('sha1', 5));
show(() => crypto.hash('sha1', 'abc', 'nonsense'));

// objects
show(() => crypto.createHash('sha1'));
show(() => crypto.createHmac('sha1', 'k'));
show(() => crypto.Hash('sha1') instanceof crypto.Hash && crypto.Hash('sha1') instanceof Transform);
show(() => [crypto.Hash.length, crypto.createHash.length, crypto.createHmac.length]);
show(() => [Object.getOwnPropertyNames(crypto.Hash.prototype).join(),
    Object.getOwnPropertyNames(crypto.Hmac.prototype).join()]);

// copies
const first = crypto.createHash('sha256').update('abc');
const second = first.copy().update('def');
console.log(first.digest('hex'), second.digest('hex'));
console.log(crypto.createHash('shake128').copy({ outputLength: 4 }).digest('hex'));

// streams
const hash = crypto.createHash('sha256');
hash.on('readable', () => {
    const bytes = hash.read();
    if (bytes)
        console.log('read', bytes.toString('hex'));
});
hash.on('end', () => {
    const hmac = crypto.createHmac('md5', 'key');
    hmac.setEncoding('hex');
    pipeline(require('stream').Readable.from(['a', 'b']), hmac, async (source) => {
        for await (const piece of source)
            console.log('piece', piece);
    }, (error) => console.log('over', error));
});
hash.write('some');
hash.end(Buffer.from('thing'));
