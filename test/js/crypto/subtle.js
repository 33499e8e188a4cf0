'use strict';
// crypto.subtle: all methods with all algorithms, published vectors, keys in all formats.
const { subtle, webcrypto } = require('crypto');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const crypto = require('crypto');

const hex = (bytes) => Buffer.from(bytes).toString('hex'), from = (text) => Buffer.from(text, 'hex');
const data = Buffer.from('some data'), iv = Buffer.alloc(16, 3);

if (!isMainThread) {
    (async () => {
        const { key, open } = workerData;
        console.log(key, open.type);
        parentPort.postMessage([hex(await subtle.sign('HMAC', key, data)), await subtle.exportKey('spki', open)]);
    })();
    return;
}

async function attempt(name, run) {
    try {
        const value = await run();
        console.log(name, value instanceof ArrayBuffer ? hex(value) : value);
    } catch (error) {
        console.log(name, error.name, error.code, error.message, error.cause?.message);
    }
}

async function vectors() {
    // A signature is copied at the call.
    const mac = await subtle.importKey('raw', iv, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
    const signature = new Uint8Array(await subtle.sign('HMAC', mac, data)), verified = subtle.verify('HMAC', mac, signature, data);
    signature.fill(0);
    console.log(await verified, await subtle.verify('HMAC', mac, signature, data));
    for (const name of ['SHA-1', 'sha-256', 'SHA-384', { name: 'SHA-512' }, 'md5'])
        await attempt('digest', () => subtle.digest(name, Buffer.from('abc')));
    // The GCM specification, test case 4
    const gcm = await subtle.importKey('raw', from('feffe9928665731c6d6a8f9467308308'), 'AES-GCM', true, ['encrypt', 'decrypt']);
    for (const tagLength of [undefined, 96, 32, 33])
        await attempt('gcm', () => subtle.encrypt({ name: 'AES-GCM', iv: from('cafebabefacedbaddecaf888'), tagLength, additionalData: from('feedfacedeadbeeffeedfacedeadbeefabaddad2') }, gcm,
            from('d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39')));
    // SP 800-38A, F.5.1, and a counter that wraps
    const ctr = await subtle.importKey('raw', from('2b7e151628aed2a6abf7158809cf4f3c'), 'AES-CTR', true, ['encrypt', 'decrypt']);
    for (const [counter, length] of [['f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', 128], ['f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', 1], ['ffffffffffffffffffffffffffffffff', 64], ['ffffffffffffffffffffffffffffffff', 128], ['000000000000000000000000000000fe', 9], ['00000000000000000000000000000000', 0], ['00', 8]])
        await attempt('ctr', async () => {
            const algorithm = { name: 'AES-CTR', counter: from(counter), length };
            const sealed = await subtle.encrypt(algorithm, ctr, Buffer.alloc(31, 9));
            return `${hex(sealed)} ${hex(await subtle.decrypt(algorithm, ctr, sealed)) === hex(Buffer.alloc(31, 9))}`;
        });
    // RFC 3394, 4.1
    const kw = await subtle.importKey('raw', from('000102030405060708090a0b0c0d0e0f'), 'AES-KW', true, ['wrapKey', 'unwrapKey']);
    const inner = await subtle.importKey('raw', from('00112233445566778899aabbccddeeff'), 'AES-CBC', true, ['encrypt']);
    const wrapped = await subtle.wrapKey('raw', inner, kw, 'AES-KW');
    console.log('kw', hex(wrapped), await subtle.unwrapKey('raw', wrapped, kw, 'AES-KW', 'AES-CBC', true, ['decrypt']));
    // RFC 5869, A.1; RFC 7914, 11; RFC 7748, 6.1
    const ikm = await subtle.importKey('raw', Buffer.alloc(22, 0x0b), 'HKDF', false, ['deriveBits', 'deriveKey']);
    await attempt('hkdf', () => subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: from('000102030405060708090a0b0c'), info: from('f0f1f2f3f4f5f6f7f8f9') }, ikm, 336));
    const password = await subtle.importKey('raw', Buffer.from('passwd'), 'PBKDF2', false, ['deriveBits', 'deriveKey']);
    const pbkdf2 = { name: 'PBKDF2', hash: 'SHA-256', salt: Buffer.from('salt'), iterations: 1 };
    await attempt('pbkdf2', () => subtle.deriveBits(pbkdf2, password, 512));
    await attempt('derive', async () => subtle.exportKey('jwk', await subtle.deriveKey(pbkdf2, password, { name: 'AES-GCM', length: 256 }, true, ['encrypt'])));
    await attempt('derive', async () => subtle.exportKey('jwk', await subtle.deriveKey(pbkdf2, password, { name: 'HMAC', hash: 'SHA-1' }, true, ['sign'])));
    for (const length of [undefined, null, 0, 7, 8.5])
        await attempt('length', () => subtle.deriveBits(pbkdf2, password, length));
    const alice = await subtle.importKey('jwk', { kty: 'OKP', crv: 'X25519', d: 'dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo', x: 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo' }, 'X25519', true, ['deriveBits']);
    const bob = await subtle.importKey('raw', from('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f'), 'X25519', true, []);
    for (const length of [256, null, 12, 300])
        await attempt('x25519', () => subtle.deriveBits({ name: 'X25519', public: bob }, alice, length));
}

async function everyAlgorithm() {
    const rsa = { modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
    for (const [algorithm, usages, formats] of [
        [{ name: 'RSASSA-PKCS1-v1_5', ...rsa }, ['sign', 'verify'], ['jwk', 'spki', 'pkcs8']], [{ name: 'RSA-PSS', ...rsa }, ['sign', 'verify'], ['jwk', 'spki', 'pkcs8']],
        [{ name: 'RSA-OAEP', ...rsa, hash: 'SHA-1' }, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'], ['jwk', 'spki', 'pkcs8']], [{ name: 'ECDSA', namedCurve: 'P-256' }, ['sign', 'verify'], ['jwk', 'spki', 'pkcs8', 'raw']],
        [{ name: 'ECDSA', namedCurve: 'P-521' }, ['sign', 'verify'], ['jwk', 'spki', 'pkcs8', 'raw']], [{ name: 'ECDH', namedCurve: 'P-384' }, ['deriveBits', 'deriveKey'], ['jwk', 'spki', 'pkcs8', 'raw']],
        [{ name: 'Ed25519' }, ['sign', 'verify'], ['jwk', 'spki', 'pkcs8', 'raw']], [{ name: 'X25519' }, ['deriveBits'], ['jwk', 'spki', 'pkcs8', 'raw']], [{ name: 'HMAC', hash: 'SHA-512' }, ['sign', 'verify'], ['jwk', 'raw']],
        [{ name: 'AES-CBC', length: 128 }, ['encrypt', 'decrypt'], ['jwk', 'raw']], [{ name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'], ['jwk', 'raw']], [{ name: 'AES-CTR', length: 192 }, ['encrypt', 'decrypt'], ['jwk', 'raw']],
        [{ name: 'AES-KW', length: 128 }, ['wrapKey', 'unwrapKey'], ['jwk', 'raw']]]) {
        const made = await subtle.generateKey(algorithm, true, usages), { publicKey = made, privateKey = made } = made;
        console.log(privateKey, publicKey.usages, Object.keys(made).sort());
        for (const key of new Set([publicKey, privateKey]))
            for (const format of ['raw', 'jwk', 'spki', 'pkcs8'])
                await attempt(`${algorithm.name} ${format} ${key.type}`, async () => {
                    const text = await subtle.exportKey(format, key);
                    const back = await subtle.importKey(format, text, algorithm, true, key.usages);
                    return [format === 'jwk' ? `${Object.keys(text)} ${text.alg} ${text.kty} ${text.crv}` : key.type === 'private' && /RSA/.test(algorithm.name) ? '' : text.byteLength,
                        crypto.KeyObject.from(back).equals(crypto.KeyObject.from(key)), back.algorithm.name].join();
                });
        if (usages.includes('sign')) {
            const params = { name: algorithm.name, hash: 'SHA-384', saltLength: 20 };
            const signature = await subtle.sign(params, privateKey, data);
            console.log(signature.byteLength, await subtle.verify(params, publicKey, signature, data), await subtle.verify(params, publicKey, signature, iv), await subtle.verify(params, publicKey, iv, data));
        }
        if (usages.includes('encrypt')) {
            const params = { name: algorithm.name, iv, counter: iv, length: 32, label: Buffer.from('label') };
            const sealed = await subtle.encrypt(params, publicKey, data);
            console.log(sealed.byteLength, Buffer.from(await subtle.decrypt(params, privateKey, sealed)).toString());
            if (algorithm.name !== 'AES-CBC') // whose padding may be right by chance
                await attempt('damaged', async () => (await subtle.decrypt(params, privateKey, new Uint8Array(sealed).map((byte) => byte ^ 1))).byteLength);
        }
        if (usages.includes('wrapKey')) {
            const params = { name: algorithm.name, iv };
            const inner = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']);
            for (const format of algorithm.name === 'RSA-OAEP' ? ['raw'] : ['raw', 'jwk']) {
                const wrapped = await subtle.wrapKey(format, inner, publicKey, params);
                const back = await subtle.unwrapKey(format, wrapped, privateKey, params, 'AES-GCM', true, ['encrypt']);
                console.log('wrapped', format, wrapped.byteLength % 8, hex(await subtle.exportKey('raw', back)) === hex(await subtle.exportKey('raw', inner)));
            }
        }
        if (usages.includes('deriveBits')) {
            const other = await subtle.generateKey(algorithm, true, usages);
            console.log(hex(await subtle.deriveBits({ name: algorithm.name, public: other.publicKey }, privateKey, 128)) === hex(await subtle.deriveBits({ name: algorithm.name, public: publicKey }, other.privateKey, 128)));
        }
    }
}

// What starts the worker, which prints, too: when nothing else does.
async function inWorker() {
    const key = await subtle.importKey('raw', iv, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const { publicKey: open } = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    console.log(structuredClone(key), crypto.KeyObject.from(key).export().equals(iv), crypto.createHmac('sha256', key).update(data).digest('hex') === hex(await subtle.sign('HMAC', key, data)));
    return () => {
        const worker = new Worker(__filename, { workerData: { key, open } });
        worker.once('message', async ([signature, text]) => console.log(signature === hex(await subtle.sign('HMAC', key, data)), hex(text) === hex(await subtle.exportKey('spki', open))));
    };
}

(async () => {
    await vectors();
    await everyAlgorithm();
    const start = await inWorker();
    console.log(webcrypto.subtle === subtle, globalThis.crypto.subtle === subtle, Object.prototype.toString.call(subtle), CryptoKey.name, SubtleCrypto.name, Object.keys(SubtleCrypto.prototype).sort().join());
    start();
})();
