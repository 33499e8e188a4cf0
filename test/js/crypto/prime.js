'use strict';
// Primes, and encryption with RSA.
const crypto = require('crypto');
const { promisify } = require('util');

function attempt(name, run) {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
}
const below = (bytes) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

(async () => {
    for (const [size, options] of [[16], [64, { safe: true }], [64, { bigint: true }], [40, { add: 60n, rem: 59n, bigint: true }], [1, {}], [3, { bigint: true }]])
        attempt(`${size}`, () => {
            const prime = crypto.generatePrimeSync(size, options), number = typeof prime === 'bigint' ? prime : below(prime);
            return [typeof prime, prime.byteLength, number >> BigInt(size - 1), crypto.checkPrimeSync(number), options?.safe && crypto.checkPrimeSync(number >> 1n), typeof options?.add === 'bigint' && number % 60n].join();
        });
    console.log(crypto.checkPrimeSync(2n ** 127n - 1n), crypto.checkPrimeSync(Buffer.from([9])), crypto.checkPrimeSync(new ArrayBuffer(1)), crypto.checkPrimeSync(561n, { checks: 3 }));
    console.log((await promisify(crypto.generatePrime)(64)).byteLength, await promisify(crypto.checkPrime)(7n), await promisify(crypto.checkPrime)(8n, { checks: 1 }));
    for (const args of [[0], ['x'], [64, 5], [64, { safe: 5 }], [64, { add: 5 }], [64, { add: -1n }], [3, { add: 120n }], [32, { add: 12n, rem: 13n }], [64, { bigint: 1 }]])
        attempt('generate', () => crypto.generatePrimeSync(...args));
    for (const args of [[], [5], [-1n], [7n, 5], [7n, { checks: -1 }]])
        attempt('check', () => crypto.checkPrimeSync(...args));
    attempt('callback', () => crypto.generatePrime(64));
    attempt('callback', () => crypto.checkPrime(7n));

    const { publicKey, privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
    const { RSA_PKCS1_PADDING, RSA_NO_PADDING, RSA_PKCS1_OAEP_PADDING } = crypto.constants, data = Buffer.from('secret');
    for (const options of [{}, { oaepHash: 'sha256' }, { oaepHash: 'sha256', oaepLabel: Buffer.from('label') }, { oaepLabel: 'abc' }, { padding: RSA_PKCS1_OAEP_PADDING }])
        attempt('oaep', () => crypto.privateDecrypt({ key: privateKey, ...options }, crypto.publicEncrypt({ key: publicKey, ...options }, data)).toString());
    const block = Buffer.alloc(128, 1);
    attempt('raw', () => crypto.privateDecrypt({ key: privateKey, padding: RSA_NO_PADDING }, crypto.publicEncrypt({ key: privateKey, padding: RSA_NO_PADDING }, block)).equals(block));
    attempt('signed', () => crypto.publicDecrypt(publicKey, crypto.privateEncrypt(privateKey, data)).toString());
    attempt('signed', () => crypto.publicDecrypt({ key: publicKey, padding: RSA_NO_PADDING }, crypto.privateEncrypt({ key: privateKey, padding: RSA_PKCS1_PADDING }, data)).length);
    attempt('label', () => crypto.privateDecrypt({ key: privateKey, oaepLabel: 'x' }, crypto.publicEncrypt(publicKey, data)));
    console.log(crypto.getFips(), crypto.fips, crypto.secureHeapUsed(), crypto.prng === crypto.randomBytes);
    attempt('engine', () => crypto.setEngine('x'));
    attempt('engine', () => crypto.setEngine(5));
    console.log(Object.entries(crypto.constants).filter(([name]) => !/CipherList|VERSION_NUMBER/.test(name)).join(' '));
})();
