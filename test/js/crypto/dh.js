'use strict';
// Diffie-Hellman over primes and curves.
const crypto = require('crypto');

function attempt(name, run) {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
}

for (const name of ['modp1', 'modp2', 'modp5', 'modp14', 'MODP15', 'x']) {
    attempt(name, () => {
        const a = crypto.getDiffieHellman(name), b = crypto.createDiffieHellmanGroup(name);
        a.generateKeys();
        const key = b.generateKeys('hex');
        return [a.verifyError, crypto.createHash('md5').update(a.getPrime()).digest('hex'), a.getGenerator('hex'), a.computeSecret(key, 'hex').equals(b.computeSecret(a.getPublicKey()))].join();
    });
}
const prime = crypto.getDiffieHellman('modp2').getPrime();
const a = crypto.createDiffieHellman(prime), b = crypto.createDiffieHellman(prime.toString('base64'), 'base64', Buffer.from([2]));
a.setPrivateKey('1234567890abcdef', 'hex');
b.setPrivateKey(Buffer.from('fedcba0987654321', 'hex'));
console.log(a.generateKeys('hex'), b.generateKeys().length, a.getPrivateKey('hex'));
console.log(a.computeSecret(b.getPublicKey(), null, 'hex') === b.computeSecret(a.getPublicKey('latin1'), 'latin1', 'hex'), a.computeSecret(b.getPublicKey()).toString('hex'));
a.setPublicKey('05', 'hex');
console.log(a.getPublicKey(), typeof crypto.createDiffieHellman(512).generateKeys('base64'));
for (const args of [[1], [Buffer.alloc(0)], [256, -1], ['ff', 'hex', 1], ['ff', 'hex', Buffer.alloc(1)], [256, Buffer.from([2])], [{}], [2 ** 40], ['ff', 'hex', {}], ['ff', 'hex'], ['abcd', 'hex']])
    attempt('new', () => crypto.createDiffieHellman(...args).verifyError);
attempt('public', () => crypto.createDiffieHellman('ff', 'hex').getPublicKey());
attempt('private', () => crypto.createDiffieHellman('ff', 'hex').getPrivateKey());
attempt('small', () => b.computeSecret('01', 'hex'));
attempt('zero', () => b.computeSecret('00', 'hex'));
attempt('large', () => b.computeSecret(prime));
attempt('none', () => crypto.getDiffieHellman('modp5').computeSecret('05', 'hex'));
attempt('type', () => b.computeSecret(5));

// Curves; the keys of RFC 5903, 8.1
const curves = crypto.getCurves();
console.log(curves.length, curves.join());
const i = crypto.createECDH('prime256v1'), r = crypto.createECDH('prime256v1');
i.setPrivateKey('C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433', 'hex');
r.setPrivateKey('C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53', 'hex');
for (const format of ['compressed', 'uncompressed', 'hybrid', undefined])
    console.log(i.getPublicKey('hex', format));
console.log(i.computeSecret(r.getPublicKey(null, 'compressed')).toString('hex') === 'd6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de', r.computeSecret(i.getPublicKey('base64'), 'base64', 'hex'), i.getPrivateKey('hex'));
for (const curve of ['secp256k1', 'secp384r1', 'secp521r1', 'brainpoolP256r1']) {
    const one = crypto.createECDH(curve), two = crypto.createECDH(curve);
    const key = one.generateKeys();
    two.generateKeys();
    console.log(curve, one.computeSecret(two.getPublicKey()).equals(two.computeSecret(key)), one.getPrivateKey().length, key.length,
        crypto.ECDH.convertKey(key, curve, null, null, 'compressed').equals(one.getPublicKey(null, 'compressed')));
}
attempt('curve', () => crypto.createECDH('x'));
attempt('curve', () => crypto.createECDH(5));
attempt('public', () => crypto.createECDH('prime256v1').getPublicKey());
attempt('private', () => crypto.createECDH('prime256v1').getPrivateKey());
attempt('zero', () => crypto.createECDH('prime256v1').setPrivateKey('00', 'hex'));
attempt('pair', () => crypto.createECDH('prime256v1').computeSecret('00', 'hex'));
attempt('point', () => i.computeSecret(Buffer.alloc(65, 4)));
attempt('point', () => i.setPublicKey(Buffer.alloc(65, 4)));
attempt('format', () => i.getPublicKey('hex', 'x'));
attempt('convert', () => crypto.ECDH.convertKey(Buffer.alloc(65, 4), 'prime256v1'));

// Keys that are objects
for (const [kind, options] of [['x25519'], ['x448'], ['ec', { namedCurve: 'P-256' }], ['dh', { group: 'modp2' }]]) {
    const one = crypto.generateKeyPairSync(kind, options), two = crypto.generateKeyPairSync(kind, options);
    console.log(kind, crypto.diffieHellman({ privateKey: one.privateKey, publicKey: two.publicKey }).equals(crypto.diffieHellman({ privateKey: two.privateKey, publicKey: one.privateKey })));
}
const ec = (namedCurve) => crypto.generateKeyPairSync('ec', { namedCurve }), x = crypto.generateKeyPairSync('x25519');
for (const options of [undefined, {}, { privateKey: x.privateKey }, { privateKey: x.publicKey, publicKey: x.publicKey }, { privateKey: x.privateKey, publicKey: ec('P-256').publicKey },
    { privateKey: ec('P-256').privateKey, publicKey: ec('P-384').publicKey }, { privateKey: x.privateKey, publicKey: crypto.createSecretKey('a') }])
    attempt('agree', () => crypto.diffieHellman(options));
