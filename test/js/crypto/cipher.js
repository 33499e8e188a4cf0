'use strict';
// stderr: DEP0106
// Ciphers: published vectors, every cipher that OpenSSL has, pieces, streams.
const crypto = require('crypto');
const { pipeline } = require('stream/promises');

const hex = (text) => Buffer.from(text.replace(/\s/g, ''), 'hex');
const vectors = [
    // NIST SP 800-38A, F.2.1, F.2.5, F.5.1, F.1.1
    ['aes-128-cbc', '2b7e151628aed2a6abf7158809cf4f3c', '000102030405060708090a0b0c0d0e0f', '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51'],
    ['aes-256-cbc', '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4', '000102030405060708090a0b0c0d0e0f', '6bc1bee22e409f96e93d7e117393172a'],
    ['aes-128-ctr', '2b7e151628aed2a6abf7158809cf4f3c', 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', '6bc1bee22e409f96e93d7e117393172aae2d8a57'],
    ['aes-128-ecb', '2b7e151628aed2a6abf7158809cf4f3c', null, '6bc1bee22e409f96e93d7e117393172a'],
    // The GCM specification, test cases 3 and 4, and RFC 8439, 2.8.2
    ['aes-128-gcm', 'feffe9928665731c6d6a8f9467308308', 'cafebabefacedbaddecaf888', 'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255', ''],
    ['aes-128-gcm', 'feffe9928665731c6d6a8f9467308308', 'cafebabefacedbaddecaf888', 'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39', 'feedfacedeadbeeffeedfacedeadbeefabaddad2'],
    ['chacha20-poly1305', '808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f', '070000004041424344454647', Buffer.from("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.").toString('hex'), '50515253c0c1c2c3c4c5c6c7'],
    // RFC 3610, packet vector 1
    ['aes-128-ccm', 'c0c1c2c3c4c5c6c7c8c9cacbcccdcecf', '00000003020100a0a1a2a3a4a5', '08090a0b0c0d0e0f101112131415161718191a1b1c1d1e', '0001020304050607', 8],
    ['aes-128-ocb', '000102030405060708090a0b0c0d0e0f', 'bbaa99887766554433221100', '', '', 16],
    // RFC 3394, 4.1
    ['id-aes128-wrap', '000102030405060708090a0b0c0d0e0f', 'a6a6a6a6a6a6a6a6', '00112233445566778899aabbccddeeff'],
];
for (const [name, key, iv, text, additional, authTagLength] of vectors) {
    const plain = hex(text), vector = iv === null ? null : hex(iv), options = { authTagLength };
    const cipher = crypto.createCipheriv(name, hex(key), vector, options);
    if (additional !== undefined)
        cipher.setAAD(hex(additional), { plaintextLength: plain.length });
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    const tag = additional !== undefined ? cipher.getAuthTag() : undefined;
    const decipher = crypto.createDecipheriv(name, crypto.createSecretKey(hex(key)), vector, options);
    if (tag !== undefined)
        decipher.setAuthTag(tag).setAAD(hex(additional), { plaintextLength: plain.length });
    const opened = Buffer.concat([decipher.update(sealed), decipher.final()]);
    console.log(name, sealed.toString('hex'), tag?.toString('hex'), opened.equals(plain));
    if (tag === undefined)
        continue;
    tag[0] ^= 1;
    try {
        const wrong = crypto.createDecipheriv(name, hex(key), vector, options).setAuthTag(tag);
        wrong.setAAD(hex(additional), { plaintextLength: plain.length });
        wrong.update(sealed);
        console.log(wrong.final());
    } catch (error) {
        console.log(error.message, error.code);
    }
}

// All of them, with fixed keys: the digest of the output tells.
const ciphers = crypto.getCiphers(), total = crypto.createHash('sha256');
console.log(ciphers.length, ciphers.join());
for (const name of ciphers) {
    const info = crypto.getCipherInfo(name), { keyLength, ivLength, mode } = info;
    total.update(JSON.stringify(info));
    if (/ccm|ocb|wrap|xts|siv/.test(mode) || /hmac/.test(name))
        continue;
    const key = Buffer.from(Array.from({ length: keyLength }, (_, i) => i)), iv = ivLength === undefined ? null : Buffer.alloc(ivLength, 7);
    const cipher = crypto.createCipheriv(name, key, iv), decipher = crypto.createDecipheriv(name, key, iv);
    const text = 'weir '.repeat(20);
    const sealed = cipher.update(text, 'utf8', 'hex') + cipher.final('hex');
    total.update(sealed);
    if (mode === 'gcm' || /poly1305/.test(name))
        decipher.setAuthTag(cipher.getAuthTag());
    if (decipher.update(sealed, 'hex', 'utf8') + decipher.final('utf8') !== text)
        console.log('wrong', name);
}
console.log(total.digest('hex'));

// Padding, changing encodings, and the deprecated functions
const cipher = crypto.createCipheriv('aes-128-cbc', 'k'.repeat(16), 'i'.repeat(16)).setAutoPadding(false);
console.log(cipher.update('0123456789abcdef', 'latin1', 'base64') + cipher.final('base64'));

const old = crypto.createCipher('aes-192-cbc', 'password');
const sealed = old.update('text', 'utf8', 'hex') + old.final('hex');
const older = crypto.createDecipher('aes-192-cbc', 'password');
console.log(sealed, older.update(sealed, 'hex', 'utf8') + older.final('utf8'));
console.log(crypto.getCipherInfo('aes-128-gcm', { ivLength: 20 }), crypto.getCipherInfo('aes-128-cbc', { ivLength: 20 }), crypto.getCipherInfo(418), crypto.getCipherInfo('x'), crypto.getCipherInfo('aes-128-ccm', { ivLength: 14 }));

(async () => {
    const seal = crypto.createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), Buffer.alloc(12, 2));
    const parts = [];
    await pipeline(async function* () {
        for (let i = 0; i < 50; i++)
            yield Buffer.alloc(1000, i);
    }, seal, async (source) => {
        for await (const part of source)
            parts.push(part);
    });
    const bytes = Buffer.concat(parts);
    console.log(bytes.length, crypto.createHash('sha1').update(bytes).digest('hex'), seal.getAuthTag().toString('hex'));
    const open = crypto.createDecipheriv('aes-256-gcm', Buffer.alloc(32, 1), Buffer.alloc(12, 2));
    open.on('error', (error) => console.log('error', error.message));
    open.resume().end(bytes);
})();
