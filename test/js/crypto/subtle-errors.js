'use strict';
// What crypto.subtle refuses, with Node's errors.
const crypto = require('crypto');
const { subtle } = crypto;

async function attempt(name, run) {
    try {
        console.log(name, typeof await run());
    } catch (error) {
        console.log(name, error.constructor.name, error.name, error.code, error.message, error.cause?.name, error.cause?.message);
    }
}
const bytes = Buffer.alloc(16);

(async () => {
    const aes = await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt']);
    const { publicKey, privateKey } = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
    const ecdh = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits', 'deriveKey']);
    const x25519 = await subtle.generateKey('X25519', false, ['deriveBits']);
    const hkdf = await subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits']);
    const calls = [
        ['digest'], ['digest', 'SHA-1'], ['digest', 'SHA-1', 'x'], ['digest', 'x', bytes], ['digest', {}, bytes], ['digest', 5, bytes], ['digest', Symbol('x'), bytes], ['digest', 'SHA-1', new SharedArrayBuffer(1)],
        ['digest', 'SHA-1', new Uint8Array(new SharedArrayBuffer(1))],
        ['generateKey', 'x', true, []], ['generateKey', 'AES-GCM', true, ['encrypt']], ['generateKey', { name: 'AES-GCM', length: 5 }, true, ['encrypt']], ['generateKey', { name: 'AES-GCM', length: -1 }, true, ['encrypt']],
        ['generateKey', { name: 'AES-GCM', length: 'x' }, true, ['encrypt']], ['generateKey', { name: 'AES-GCM', length: 128 }, true, ['x']], ['generateKey', { name: 'AES-GCM', length: 128 }, true, ['sign']], ['generateKey', { name: 'AES-GCM', length: 128 }, true, []],
        ['generateKey', { name: 'AES-GCM', length: 128 }, true, 5], ['generateKey', { name: 'AES-KW', length: 128 }, true, ['encrypt']], ['generateKey', { name: 'ECDSA', namedCurve: 'x' }, true, ['sign']], ['generateKey', { name: 'ECDSA', namedCurve: 'P-256' }, true, ['encrypt']],
        ['generateKey', { name: 'ECDH', namedCurve: 'P-256' }, true, ['sign']], ['generateKey', 'Ed25519', true, ['encrypt']], ['generateKey', 'Ed25519', true, ['verify']], ['generateKey', { name: 'HMAC' }, true, ['sign']], ['generateKey', { name: 'HMAC', hash: 'x' }, true, ['sign']],
        ['generateKey', { name: 'HMAC', hash: 'SHA-1', length: 0 }, true, ['sign']], ['generateKey', { name: 'HMAC', hash: 'SHA-1', length: 9 }, true, ['sign']], ['generateKey', { name: 'RSA-PSS', hash: 'SHA-1', modulusLength: 1024 }, true, ['sign']],
        ['generateKey', { name: 'RSA-PSS', hash: 'SHA-1', modulusLength: 1024, publicExponent: new Uint8Array(9).fill(1) }, true, ['sign']], ['generateKey', { name: 'RSA-PSS', hash: 'SHA-1', modulusLength: 1024, publicExponent: 5 }, true, ['sign']],
        ['generateKey', { name: 'RSA-PSS', hash: 'SHA-1', modulusLength: 10, publicExponent: new Uint8Array([1, 0, 1]) }, true, ['sign']], ['generateKey', { name: 'RSA-OAEP', hash: 'SHA-1', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) }, true, ['sign']],
        ['importKey', 'x', bytes, 'AES-GCM', true, []], ['importKey', 'raw', 'x', 'AES-GCM', true, []], ['importKey', 'raw', bytes, 'AES-GCM', true, []], ['importKey', 'raw', bytes.subarray(1), 'AES-GCM', true, ['encrypt']], ['importKey', 'spki', bytes, 'AES-GCM', true, ['encrypt']],
        ['importKey', 'jwk', 5, 'AES-GCM', true, ['encrypt']], ['importKey', 'jwk', {}, 'AES-GCM', true, ['encrypt']], ['importKey', 'jwk', { kty: 'RSA' }, 'AES-GCM', true, ['encrypt']], ['importKey', 'jwk', { kty: 'oct', k: 'AAAA' }, 'AES-GCM', true, ['encrypt']],
        ['importKey', 'jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', alg: 'A128CBC' }, 'AES-GCM', true, ['encrypt']], ['importKey', 'jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', use: 'sig' }, 'AES-GCM', true, ['encrypt']],
        ['importKey', 'jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', ext: false }, 'AES-GCM', true, ['encrypt']], ['importKey', 'jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', key_ops: ['decrypt'] }, 'AES-GCM', true, ['encrypt']],
        ['importKey', 'jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', key_ops: ['decrypt', 'decrypt'] }, 'AES-GCM', true, ['encrypt']], ['importKey', 'raw', new ArrayBuffer(0), { name: 'HMAC', hash: 'SHA-1' }, true, ['sign']],
        ['importKey', 'raw', bytes, { name: 'HMAC', hash: 'SHA-1', length: 8 }, true, ['sign']], ['importKey', 'jwk', { kty: 'oct', k: 'AAAA', alg: 'HS1' }, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']],
        ['importKey', 'raw', bytes, 'HKDF', true, ['deriveBits']], ['importKey', 'raw', bytes, 'HKDF', false, ['sign']], ['importKey', 'jwk', {}, 'PBKDF2', false, ['deriveBits']], ['importKey', 'raw', bytes, 'HKDF', false, []],
        ['importKey', 'spki', bytes, { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['verify']], ['importKey', 'raw', bytes, { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['verify']], ['importKey', 'spki', bytes, { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['sign']],
        ['importKey', 'jwk', { kty: 'RSA', n: 'AQAB', e: 'AQAB', alg: 'RS1' }, { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['verify']], ['importKey', 'jwk', { kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'enc' }, { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['verify']],
        ['importKey', 'raw', bytes, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']], ['importKey', 'raw', bytes, { name: 'ECDSA', namedCurve: 'x' }, true, ['verify']], ['importKey', 'jwk', { kty: 'EC', crv: 'P-384', x: 'a', y: 'b' }, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']],
        ['importKey', 'jwk', { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' }, { name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']], ['importKey', 'raw', bytes, 'Ed25519', true, ['verify']], ['importKey', 'jwk', { kty: 'OKP', crv: 'X25519' }, 'Ed25519', true, []],
        ['importKey', 'jwk', { kty: 'OKP', crv: 'Ed25519', x: 'AA' }, 'Ed25519', true, ['verify']], ['importKey', 'pkcs8', bytes, 'Ed25519', true, ['sign']],
        ['exportKey', 'raw'], ['exportKey', 'raw', 5], ['exportKey', 'x', aes], ['exportKey', 'raw', aes], ['exportKey', 'pkcs8', publicKey], ['exportKey', 'spki', publicKey], ['exportKey', 'jwk', privateKey],
        ['encrypt', 'AES-GCM', aes, bytes], ['encrypt', { name: 'AES-GCM', iv: 5 }, aes, bytes], ['encrypt', { name: 'AES-CBC', iv: bytes }, aes, bytes], ['encrypt', { name: 'AES-GCM', iv: bytes, tagLength: 5 }, aes, bytes], ['encrypt', { name: 'AES-GCM', iv: bytes, tagLength: 300 }, aes, bytes],
        ['encrypt', { name: 'AES-GCM', iv: bytes }, publicKey, bytes], ['decrypt', { name: 'AES-GCM', iv: bytes }, aes, bytes], ['encrypt', 'AES-KW', aes, bytes], ['encrypt', { name: 'AES-GCM', iv: bytes }, aes], ['encrypt', { name: 'AES-GCM', iv: bytes }, {}, bytes],
        ['sign', 'ECDSA', privateKey, bytes], ['sign', { name: 'ECDSA', hash: 'SHA-1' }, publicKey, bytes], ['sign', 'HMAC', privateKey, bytes], ['verify', { name: 'ECDSA', hash: 'SHA-1' }, publicKey, bytes, bytes], ['verify', { name: 'ECDSA', hash: 'SHA-1' }, privateKey, bytes, bytes],
        ['deriveBits', { name: 'ECDH', public: publicKey }, ecdh.privateKey, 8], ['deriveBits', { name: 'ECDH', public: ecdh.privateKey }, ecdh.privateKey, 8], ['deriveBits', { name: 'ECDH' }, ecdh.privateKey, 8], ['deriveBits', { name: 'ECDH', public: x25519.publicKey }, ecdh.privateKey, 8],
        ['deriveBits', { name: 'ECDH', public: ecdh.publicKey }, ecdh.publicKey, 8], ['deriveBits', { name: 'ECDH', public: ecdh.publicKey }, ecdh.privateKey, 4096], ['deriveBits', { name: 'HKDF', hash: 'SHA-1', salt: bytes, info: bytes }, hkdf, 2 ** 20],
        ['deriveKey', { name: 'HKDF', hash: 'SHA-1', salt: bytes, info: bytes }, hkdf, { name: 'AES-GCM', length: 128 }, true, ['encrypt']], ['deriveKey', { name: 'ECDH', public: ecdh.publicKey }, ecdh.privateKey, { name: 'AES-GCM', length: 5 }, true, ['encrypt']],
        ['wrapKey', 'raw', aes, aes, { name: 'AES-GCM', iv: bytes }], ['wrapKey', 'raw', aes], ['unwrapKey', 'raw', bytes, aes, { name: 'AES-GCM', iv: bytes }, 'AES-GCM', true, []], ['unwrapKey', 'raw', bytes, aes, 'AES-KW', 'AES-GCM', true, []],
    ];
    for (const [method, ...args] of calls)
        await attempt(method, () => subtle[method](...args));
    const changed = await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt']);
    changed.algorithm.length = 256; // longer than the key is
    await attempt('changed', () => subtle.encrypt({ name: 'AES-GCM', iv: bytes }, changed, bytes));
    await attempt('this', () => subtle.digest.call({}, 'SHA-1', bytes));
    await attempt('new', () => new SubtleCrypto());
    await attempt('new', () => new CryptoKey());
    await attempt('getter', () => CryptoKey.prototype.type);
})();
