'use strict';
// Key derivation: published vectors, arguments that are refused, and the pool.
const crypto = require('crypto');
const { promisify } = require('util');

function attempt(name, run) {
    try {
        const result = run();
        console.log(name, result instanceof ArrayBuffer ? Buffer.from(result).toString('hex') : Buffer.isBuffer(result)
            ? result.toString('hex') : result);
    } catch (error) {
        console.log(name, error.name, error.code, error.message.replace(/<= \d{10,}/, '<= the most'));
    }
}

// RFC 6070, RFC 7914, RFC 5869
for (const [password, salt, count, length] of [['password', 'salt', 1, 20], ['password', 'salt', 2, 20], ['password', 'salt', 4096, 20],
    ['passwordPASSWORDpassword', 'saltSALTsaltSALTsaltSALTsaltSALTsalt', 4096, 25], ['pass\0word', 'sa\0lt', 4096, 16]])
    attempt('pbkdf2', () => crypto.pbkdf2Sync(password, salt, count, length, 'sha1'));
for (const digest of ['sha256', 'SHA512', 'md5', 'sha3-256', 'blake2b512', 'sha512-256'])
    attempt(digest, () => crypto.pbkdf2Sync(Buffer.from('passwd'), new Uint16Array([1, 2]), 3, 64, digest));
for (const [password, salt, N, r, p] of [['', '', 16, 1, 1], ['password', 'NaCl', 1024, 8, 16], ['pleaseletmein', 'SodiumChloride', 16384, 8, 1]])
    attempt('scrypt', () => crypto.scryptSync(password, salt, 64, { N, r, p }));
attempt('scrypt', () => crypto.scryptSync('p', 's', 32));
attempt('scrypt names', () => crypto.scryptSync('p', 's', 32, { cost: 16, blockSize: 4, parallelization: 2, maxmem: 1e6 }));
const range = (from, to) => Buffer.from(Array.from({ length: to - from }, (_, i) => from + i));
attempt('hkdf', () => crypto.hkdfSync('sha256', Buffer.alloc(22, 0x0b), range(0, 13), range(0xf0, 0xfa), 42));
attempt('hkdf', () => crypto.hkdfSync('sha256', range(0, 80), range(0x60, 0xb0), range(0xb0, 0x100), 82));
attempt('hkdf', () => crypto.hkdfSync('sha256', Buffer.alloc(22, 0x0b), '', '', 42));
attempt('hkdf', () => crypto.hkdfSync('sha1', Buffer.alloc(11, 0x0b), range(0, 13), range(0xf0, 0xfa), 42));
attempt('hkdf empty key', () => crypto.hkdfSync('sha256', '', 's', 'i', 5));
attempt('hkdf views', () => crypto.hkdfSync('sha512', new ArrayBuffer(4), new Uint16Array(2), new DataView(new ArrayBuffer(2)), 5));
attempt('nothing', () => [crypto.pbkdf2Sync('p', 's', 1, 0, 'sha1').length, crypto.scryptSync('p', 's', 0).length, crypto.hkdfSync('sha1', 'k', 's', 'i', 0).byteLength]);

for (const args of [[5, 's', 1, 20, 'sha1'], ['p', {}, 1, 20, 'sha1'], ['p', 's', '1', 20, 'sha1'], ['p', 's', 0, 20, 'sha1'], ['p', 's', 1.5, 20, 'sha1'],
    ['p', 's', 2 ** 31, 20, 'sha1'], ['p', 's', 1, '20', 'sha1'], ['p', 's', 1, -1, 'sha1'], ['p', 's', 1, 2 ** 31, 'sha1'], ['p', 's', 1, 20, 'none'],
    ['p', 's', 1, 20], ['p', 's', 1, 20, null]]) {
    attempt('pbkdf2Sync', () => crypto.pbkdf2Sync(...args));
    attempt('pbkdf2', () => crypto.pbkdf2(...args, () => {}));
}
for (const [length, options] of [[-1], ['x'], [64, { N: 3 }], [64, { N: 1 }], [64, { N: 2 ** 20 }], [64, { N: 16, cost: 16 }], [64, { N: 'x' }], [64, { maxmem: -1 }],
    [64, { maxmem: 100 }], [64, { r: -1 }], [64, { p: 1.5 }]])
    attempt('scryptSync', () => crypto.scryptSync('p', 's', length, options));
for (const args of [['none', 'k', 's', 'i', 20], [5, 'k', 's', 'i', 20], ['sha256', 5, 's', 'i', 20], ['sha256', 'k', 5, 'i', 20], ['sha256', 'k', 's', 5, 20],
    ['sha256', 'k', 's', Buffer.alloc(1025), 20], ['sha256', 'k', 's', 'i', 8161], ['sha256', 'k', 's', 'i', '5']])
    attempt('hkdfSync', () => crypto.hkdfSync(...args));
attempt('no callback', () => crypto.pbkdf2('p', 's', 1, 20, 'sha1'));
attempt('no callback', () => crypto.scrypt('p', 's', 20));
attempt('no callback', () => crypto.hkdf('sha1', 'p', 's', 'i', 20));
console.log(crypto.pbkdf2.length, crypto.scrypt.length, crypto.hkdf.length);
// Digests by any of their names, and one that cannot be used
for (const name of ['RSA-SHA256', 'sha512WithRSAEncryption', 'shake128'])
    for (const run of [() => crypto.pbkdf2Sync('p', 's', 2, 8, name), () => Buffer.from(crypto.hkdfSync(name, 'k', 's', 'i', 8))])
        try {
            console.log(name, run().toString('hex'));
        } catch (error) {
            console.log(name, error.code, error.message);
        }

(async () => {
    // Inputs may change after the call.
    const password = Buffer.from('password'), promise = promisify(crypto.pbkdf2)(password, 'salt', 1000, 20, 'sha256');
    password.fill(0);
    console.log((await promise).toString('hex'));
    console.log((await promisify(crypto.scrypt)('p', 's', 32, { N: 1024 })).toString('hex'));
    console.log(Buffer.from(await promisify(crypto.hkdf)('sha512', 'k', 's', 'i', 32)).toString('hex'));
    const all = await Promise.all(Array.from({ length: 30 }, (_, i) => promisify(crypto.pbkdf2)(`p${i}`, 's', 10, 8, 'sha1')));
    console.log(all.every((key, i) => key.equals(crypto.pbkdf2Sync(`p${i}`, 's', 10, 8, 'sha1'))));
})();
