'use strict';
// weir only
// long: address thread
// Round trips with another process, which runs Node: each side signs, encrypts and
// derives with random keys and data, and the other one verifies, decrypts and derives.
const crypto = require('crypto');
const { spawnSync } = require('child_process');

const bytes = (most) => crypto.randomBytes(crypto.randomInt(most + 1));
const text = (value) => Buffer.from(value).toString('base64');
const open = (value) => Buffer.from(value, 'base64');

const ciphers = ['aes-128-cbc', 'aes-192-ctr', 'aes-256-gcm', 'chacha20-poly1305', 'aes-128-ccm', 'aes-256-ocb', 'camellia-128-cbc', 'aria-256-gcm', 'aes-128-cfb8', 'des-ede3-cbc'];
const pairs = [['rsa', { modulusLength: 1024 }], ['rsa-pss', { modulusLength: 1024 }], ['ec', { namedCurve: 'P-256' }], ['ec', { namedCurve: 'secp521r1' }], ['ec', { namedCurve: 'secp256k1' }], ['ed25519'], ['ed448'],
    ['dsa', { modulusLength: 1024, divisorLength: 160 }]];

function encrypt(name) {
    const { keyLength, ivLength, mode } = crypto.getCipherInfo(name), isAead = /gcm|ccm|ocb|poly1305/.test(name);
    const key = crypto.randomBytes(keyLength), iv = crypto.randomBytes(ivLength), data = bytes(500), more = bytes(50);
    const cipher = crypto.createCipheriv(name, key, iv, { authTagLength: isAead ? 16 : undefined });
    if (isAead)
        cipher.setAAD(more, { plaintextLength: data.length });
    const sealed = Buffer.concat([cipher.update(data), cipher.final()]);
    return { kind: 'cipher', name, key: text(key), iv: text(iv), data: text(data), more: text(more), sealed: text(sealed), tag: isAead ? text(cipher.getAuthTag()) : undefined };
}

function decrypt({ name, key, iv, data, more, sealed, tag }) {
    const decipher = crypto.createDecipheriv(name, open(key), open(iv), { authTagLength: tag === undefined ? undefined : 16 });
    if (tag !== undefined)
        decipher.setAuthTag(open(tag)).setAAD(open(more), { plaintextLength: open(sealed).length });
    return Buffer.concat([decipher.update(open(sealed)), decipher.final()]).equals(open(data));
}

function sign([kind, options]) {
    const format = crypto.randomInt(2) ? 'pem' : 'der', passphrase = crypto.randomInt(2) ? 'word' : undefined;
    const { publicKey, privateKey } = crypto.generateKeyPairSync(kind, options);
    const data = bytes(500), digest = /^ed/.test(kind) ? null : ['sha1', 'sha256', 'sha512'][crypto.randomInt(3)];
    const settings = { dsaEncoding: crypto.randomInt(2) ? 'der' : 'ieee-p1363', padding: kind === 'rsa' && crypto.randomInt(2) ? crypto.constants.RSA_PKCS1_PSS_PADDING : undefined, saltLength: kind === 'rsa' ? 16 : undefined };
    return { kind: 'sign', format, passphrase, data: text(data), digest, settings, signature: text(crypto.sign(digest, data, { key: privateKey, ...settings })),
        hidden: text(privateKey.export({ type: 'pkcs8', format, passphrase, cipher: passphrase && 'aes-256-cbc' })), open: text(publicKey.export({ type: 'spki', format })) };
}

function verify({ format, passphrase, data, digest, settings, signature, hidden, open: key }) {
    const publicKey = crypto.createPublicKey({ key: open(key), format, type: 'spki' });
    const privateKey = crypto.createPrivateKey({ key: open(hidden), format, type: 'pkcs8', passphrase });
    return crypto.verify(digest, open(data), { key: publicKey, ...settings }, open(signature)) && crypto.createPublicKey(privateKey).equals(publicKey);
}

// The whole of Web Crypto that gives the same result twice
async function derive() {
    const { subtle } = crypto, salt = bytes(40), info = bytes(40), iterations = 1 + crypto.randomInt(50), key = crypto.randomBytes(32);
    const results = [];
    for (const hash of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'])
        results.push([hash, ...await derived({ hash, salt: text(salt), info: text(info), iterations, key: text(key) })]);
    return { kind: 'derive', salt: text(salt), info: text(info), iterations, key: text(key), results, sealed: text(await subtle.encrypt({ name: 'AES-CTR', counter: key.subarray(16), length: 20 },
        await subtle.importKey('raw', key, 'AES-CTR', false, ['encrypt']), key)) };
}

async function derived({ hash, salt, info, iterations, key }) {
    const { subtle } = crypto, raw = open(key);
    const hkdf = await subtle.importKey('raw', raw, 'HKDF', false, ['deriveBits']), pbkdf2 = await subtle.importKey('raw', raw, 'PBKDF2', false, ['deriveBits']);
    const hmac = await subtle.importKey('raw', raw, { name: 'HMAC', hash }, false, ['sign']);
    return [text(await subtle.deriveBits({ name: 'HKDF', hash, salt: open(salt), info: open(info) }, hkdf, 256)), text(await subtle.deriveBits({ name: 'PBKDF2', hash, salt: open(salt), iterations }, pbkdf2, 256)),
        text(await subtle.sign('HMAC', hmac, raw)), text(await subtle.digest(hash, raw))];
}

async function deriveAgain(one) {
    const raw = open(one.key);
    for (const [hash, ...results] of one.results)
        if (String(await derived({ ...one, hash })) !== String(results))
            return false;
    return open(one.sealed).equals(Buffer.from(await crypto.subtle.encrypt({ name: 'AES-CTR', counter: raw.subarray(16), length: 20 }, await crypto.subtle.importKey('raw', raw, 'AES-CTR', false, ['encrypt']), raw)));
}

const make = async () => [...ciphers.flatMap((name) => [encrypt(name), encrypt(name)]), ...pairs.map(sign), await derive()];

async function failures(list) {
    const wrong = [];
    for (const one of list)
        if (!(one.kind === 'cipher' ? decrypt(one) : one.kind === 'sign' ? verify(one) : await deriveAgain(one)))
            wrong.push(one);
    return wrong;
}

(async () => {
    if (process.argv[2] === 'peer') {
        const wrong = await failures(JSON.parse(require('fs').readFileSync(0, 'utf8')));
        console.log(JSON.stringify({ wrong, made: await make() }));
        return;
    }
    const own = await make();
    const { stdout, stderr, status } = spawnSync('node', [__filename, 'peer'], { input: JSON.stringify(own), maxBuffer: 1e8, encoding: 'utf8' });
    if (status !== 0)
        throw new Error(stderr);
    const { wrong, made } = JSON.parse(stdout);
    console.log('Node refuses', wrong, 'and weir', await failures(made), own.length === made.length);
})();
