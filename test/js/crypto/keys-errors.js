'use strict';
// What is refused about keys, with Node's errors.
const crypto = require('crypto');

function attempt(name, run) {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message, error.library, error.reason, error.opensslErrorStack);
    }
}

const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
const ed = crypto.generateKeyPairSync('ed25519');
const ec = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
// With the passphrase "x"; that "y" is wrong is seen by the padding.
const sealed = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjeQe1loAwXmgICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEENrItr7HHPQIYVwh+r7HtpYEQFxc
IjA8T298cPqqyglcMaieeVqoxr5Xy2QhtTIZGhzHM9gVKjqQBKphZfGl8mb6Ty1T
MwQ8lBKqqTnf3mI06nE=
-----END ENCRYPTED PRIVATE KEY-----
`;
const secret = crypto.createSecretKey('a');

for (const value of [undefined, 5, {}, [], true, 'abc', Buffer.from('abc'), secret, rsa.publicKey, { key: 5 }, { key: 'abc', format: 'x' }, { key: 'abc', format: 'der' },
    { key: 'abc', format: 'der', type: 'x' }, { key: Buffer.from('abc'), format: 'der', type: 'pkcs8' }, { key: Buffer.from('abc'), format: 'der', type: 'pkcs1' },
    { key: Buffer.from('abc'), format: 'der', type: 'sec1' }, { key: Buffer.from('abc'), format: 'der', type: 'spki' }, { key: sealed }, { key: sealed, passphrase: 'y' },
    { key: sealed, passphrase: 5 }, { key: {}, format: 'jwk' }, { key: 5, format: 'jwk' }, { key: { kty: 'RSA' }, format: 'jwk' }, { key: { kty: 'oct', k: 'a' }, format: 'jwk' },
    { key: { kty: 'EC', crv: 'P-256', x: 'a', y: 'b', d: 'c' }, format: 'jwk' }, { key: { kty: 'OKP', crv: 'X', x: 'a' }, format: 'jwk' },
    { key: { kty: 'OKP', crv: 'Ed25519', x: 'a', d: 'b' }, format: 'jwk' }]) {
    attempt('private', () => crypto.createPrivateKey(value).type);
    attempt('public', () => crypto.createPublicKey(value).type);
    attempt('secret', () => crypto.createSecretKey(value).type);
}
for (const options of [undefined, null, 5, {}, { format: 'pem' }, { format: 'pem', type: 'spki' }, { format: 'pem', type: 'sec1' }, { format: 'der', type: 'pkcs1' }, { format: 'x', type: 'pkcs8' },
    { format: 'pem', type: 'pkcs8', cipher: 'x', passphrase: 'y' }, { format: 'pem', type: 'pkcs8', cipher: 5 }, { format: 'pem', type: 'pkcs8', passphrase: 'y' },
    { format: 'pem', type: 'pkcs8', cipher: 'aes-128-cbc' }, { format: 'der', type: 'pkcs1', cipher: 'aes-128-cbc', passphrase: 'x' }, { format: 'jwk', passphrase: 'x' }])
    for (const key of [ed.privateKey, ec.publicKey, secret])
        attempt('export', () => typeof key.export(options));
attempt('rsa der', () => rsa.privateKey.export({ format: 'der', type: 'pkcs1', cipher: 'aes-128-cbc', passphrase: 'x' }));
attempt('curve', () => crypto.generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).publicKey.export({ format: 'jwk' }));
attempt('equals', () => secret.equals(5));
attempt('from', () => crypto.KeyObject.from(5));
attempt('new', () => new crypto.KeyObject('x'));
attempt('new', () => new crypto.KeyObject('secret', {}));
for (const args of [[], ['x'], ['rsa'], ['rsa', {}], ['rsa', { modulusLength: 'x' }], ['rsa', { modulusLength: 10 }], ['rsa', { modulusLength: 1024, publicExponent: -1 }],
    ['rsa', { modulusLength: 1024, publicExponent: 4 }], ['rsa-pss', { modulusLength: 1024, hashAlgorithm: 'x' }], ['rsa-pss', { modulusLength: 1024, saltLength: -1 }],
    ['rsa-pss', { modulusLength: 1024, mgf1HashAlgorithm: 'x' }], ['dsa', {}], ['dsa', { modulusLength: 1024, divisorLength: 'x' }], ['ec', {}], ['ec', { namedCurve: 'x' }],
    ['ec', { namedCurve: 'P-256', paramEncoding: 'x' }], ['dh', {}], ['dh', { group: 'x' }], ['dh', { group: 'modp5', prime: Buffer.alloc(1) }], ['dh', { prime: 5 }], ['dh', { primeLength: -1 }],
    ['ed25519', { publicKeyEncoding: 5 }], ['ed25519', { publicKeyEncoding: { format: 'pem' } }], ['ed25519', { privateKeyEncoding: { format: 'pem', type: 'pkcs1' } }], ['ed25519', 5]]) {
    attempt('pair', () => crypto.generateKeyPairSync(...args));
    attempt('later', () => crypto.generateKeyPair(...args));
}
for (const args of [['x', {}], ['aes', {}], ['aes', { length: 1 }], ['hmac', { length: 7 }], ['hmac', { length: 2 ** 31 }], ['hmac'], [5]])
    attempt('key', () => crypto.generateKeySync(...args));
