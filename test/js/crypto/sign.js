'use strict';
// long: address thread
// Signatures: published vectors, all kinds of keys, streams, the pool.
const crypto = require('crypto');
const { promisify } = require('util');
const { constants } = crypto;

function attempt(name, run) {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
}

// RFC 8032, 7.1, tests 1 to 3: the secret key, the message, the signature
for (const [secret, message, wanted] of [
    ['9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', '', 'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'],
    ['4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', '72', '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'],
    ['c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7', 'af82', '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a']]) {
    const key = crypto.createPrivateKey({ key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(secret, 'hex')]), format: 'der', type: 'pkcs8' });
    const signature = crypto.sign(null, Buffer.from(message, 'hex'), key);
    console.log(signature.toString('hex') === wanted, crypto.verify(undefined, Buffer.from(message, 'hex'), crypto.createPublicKey(key), signature));
}

// RFC 6979, A.2.5: a signature with P-256 that verifies, as DER's two numbers
const es256 = crypto.createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: Buffer.from('60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6', 'hex').toString('base64url'),
    y: Buffer.from('7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299', 'hex').toString('base64url') } });
const sample = Buffer.from('EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8', 'hex');
console.log(crypto.verify('sha256', Buffer.from('sample'), { key: es256, dsaEncoding: 'ieee-p1363' }, sample), crypto.verify('sha256', Buffer.from('sampl'), { key: es256, dsaEncoding: 'ieee-p1363' }, sample),
    crypto.verify('sha256', Buffer.from('sample'), { key: es256, dsaEncoding: 'ieee-p1363' }, sample.subarray(1)));

const pairs = Object.fromEntries([['rsa', { modulusLength: 1024 }], ['rsa-pss', { modulusLength: 1024, hashAlgorithm: 'sha256', saltLength: 20 }], ['dsa', { modulusLength: 1024, divisorLength: 160 }], ['ec', { namedCurve: 'P-384' }], ['ed25519'], ['ed448'], ['x25519']]
    .map(([kind, options]) => [kind, crypto.generateKeyPairSync(kind, options)]));
const data = Buffer.from('some data to sign');

(async () => {
    for (const [kind, { privateKey, publicKey }] of Object.entries(pairs))
        for (const digest of [null, 'sha256', 'RSA-SHA512', 'sha1', 'x'])
            for (const options of [{}, { dsaEncoding: 'ieee-p1363' }, { padding: constants.RSA_PKCS1_PSS_PADDING }, { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 5 },
                { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }, { padding: 99 }]) {
                const name = `${kind} ${digest} ${JSON.stringify(options)}`;
                attempt(name, () => {
                    const signature = crypto.sign(digest, data, { key: privateKey, ...options });
                    const wrong = Buffer.from(signature);
                    wrong[5] ^= 1;
                    return [/dsa|ec/.test(kind) && !options.dsaEncoding ? '' : signature.length, crypto.verify(digest, data, { key: publicKey, ...options }, signature),
                        crypto.verify(digest, data, { key: privateKey, ...options }, signature), crypto.verify(digest, data, { key: publicKey, ...options }, wrong)].join();
                });
                if (digest !== null)
                    attempt(`${name} in pieces`, () => {
                        const sign = crypto.createSign(digest), verify = crypto.createVerify(digest);
                        sign.write('some data');
                        sign.update(' to sign').end();
                        const signature = sign.sign({ key: privateKey, ...options }, 'hex');
                        return verify.update(data).verify({ key: publicKey, ...options }, signature, 'hex');
                    });
            }
    const { privateKey, publicKey } = pairs.rsa;
    console.log(crypto.sign('sha256', data, privateKey).equals(crypto.createSign('sha256').update(data).sign(privateKey)));
    const later = await promisify(crypto.sign)('sha256', data, privateKey);
    console.log(later.length, await promisify(crypto.verify)('sha256', data, publicKey, later), await promisify(crypto.verify)('sha256', data, publicKey, Buffer.alloc(3)));
    crypto.sign('sha512', data, crypto.generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey, (error, ...rest) => console.log(error.message, error.code, rest));

    attempt('no key', () => crypto.sign('sha256', data));
    attempt('public', () => crypto.sign('sha256', data, publicKey));
    attempt('data', () => crypto.sign('sha256', 5, privateKey));
    attempt('digest', () => crypto.sign(5, data, privateKey));
    attempt('callback', () => crypto.sign('sha256', data, privateKey, 5));
    attempt('padding', () => crypto.sign('sha256', data, { key: privateKey, padding: 'x' }));
    attempt('encoding', () => crypto.sign('sha256', data, { key: privateKey, dsaEncoding: 'x' }));
    attempt('signature', () => crypto.verify('sha256', data, publicKey, 'x'));
    attempt('twice', () => { const sign = crypto.createSign('sha256'); sign.sign(privateKey); sign.sign(privateKey); });
    attempt('update', () => crypto.createSign('sha256').update(5));
    attempt('sign', () => crypto.createSign('sha256').sign());
    attempt('algorithm', () => crypto.createSign(5));
    attempt('verify', () => crypto.createVerify('sha256').verify(publicKey, 5));
})();
