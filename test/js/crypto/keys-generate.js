'use strict';
// long: address thread
// Pairs of keys of each kind: what they are, encodings, and the pool.
const crypto = require('crypto');
const { promisify } = require('util');

const kinds = [['rsa', { modulusLength: 1024 }], ['rsa', { modulusLength: 1024, publicExponent: 3 }], ['rsa-pss', { modulusLength: 1024 }],
    ['rsa-pss', { modulusLength: 1024, hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha384', saltLength: 10 }], ['rsa-pss', { modulusLength: 1024, hashAlgorithm: 'sha1' }],
    ['dsa', { modulusLength: 1024, divisorLength: 160 }], ['ec', { namedCurve: 'P-256' }], ['ec', { namedCurve: 'secp256k1' }], ['ec', { namedCurve: 'P-521', paramEncoding: 'explicit' }],
    ['ed25519'], ['ed448'], ['x25519'], ['x448'], ['dh', { group: 'modp5' }], ['dh', { primeLength: 512 }],
    ['dh', { prime: crypto.getDiffieHellman('modp2').getPrime(), generator: 2 }]];

(async () => {
    for (const [kind, options] of kinds) {
        const { publicKey, privateKey } = crypto.generateKeyPairSync(kind, options);
        console.log(kind, publicKey.type, privateKey.type, privateKey.asymmetricKeyType, privateKey.asymmetricKeyDetails, crypto.createPublicKey(privateKey).equals(publicKey));
        const texts = await promisify(crypto.generateKeyPair)(kind, { ...options, publicKeyEncoding: { type: 'spki', format: 'pem' },
            privateKeyEncoding: { type: 'pkcs8', format: 'der', cipher: 'aes-128-cbc', passphrase: 'x' } });
        console.log(texts.publicKey.split('\n')[0], Buffer.isBuffer(texts.privateKey),
            crypto.createPublicKey({ key: texts.privateKey, format: 'der', type: 'pkcs8', passphrase: 'x' }).export({ type: 'spki', format: 'pem' }) === texts.publicKey);
    }
    console.log(Object.keys(crypto.generateKeyPairSync('ed25519', { publicKeyEncoding: { format: 'jwk' } }).publicKey));
    for (const [kind, length] of [['aes', 128], ['aes', 256], ['hmac', 65]])
        console.log(crypto.generateKeySync(kind, { length }).symmetricKeySize, (await promisify(crypto.generateKey)(kind, { length })).symmetricKeySize);
    // Keys that cannot be encoded
    const encrypted = (cipher) => ({ namedCurve: 'P-256', publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher, passphrase: 'x' } });
    for (const options of [encrypted('aes-128-gcm'), { namedCurve: 'secp224r1', publicKeyEncoding: { format: 'jwk' }, privateKeyEncoding: { format: 'jwk' } }])
        await promisify(crypto.generateKeyPair)('ec', options).catch((error) => console.log(error.code, error.message));
    try {
        crypto.generateKeyPair('ec', encrypted('nope'), () => console.log('called'));
    } catch (error) {
        console.log(error.code, error.message);
    }
    crypto.generateKeyPair('rsa', { modulusLength: 10 }, (error, ...rest) => console.log(error.message, error.code, rest));
})();
