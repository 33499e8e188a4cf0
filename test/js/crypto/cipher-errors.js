'use strict';
// What ciphers refuse, with Node's errors.
const crypto = require('crypto');

function attempt(name, run) {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message, error.library, error.reason);
    }
}
const key = Buffer.alloc(16), iv = Buffer.alloc(16), short = Buffer.alloc(12);
const cbc = () => crypto.createCipheriv('aes-128-cbc', key, iv);
const uncbc = () => crypto.createDecipheriv('aes-128-cbc', key, iv);
const gcm = (options) => crypto.createDecipheriv('aes-128-gcm', key, short, options);
for (const args of [[], ['x'], ['x', key, iv], [5, key, iv], ['aes-128-cbc', 'a', iv], ['aes-128-cbc', key, 'b'], ['aes-128-cbc', key, null], ['aes-128-cbc', key], ['aes-128-cbc', 5, iv],
    ['aes-128-cbc', {}, iv], ['aes-128-ecb', key, iv], ['aes-128-ecb', key, ''], ['aes-128-ccm', key, short], ['aes-128-ccm', key, short, { authTagLength: 3 }], ['aes-128-ccm', key, iv, { authTagLength: 16 }],
    ['aes-128-gcm', key, short, { authTagLength: 3 }], ['aes-128-gcm', key, ''], ['aes-128-gcm', key, null], ['aes-128-gcm', key, short, { authTagLength: 'x' }], ['chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(13)],
    ['aes-128-ocb', key, short], ['aes-128-cbc', crypto.generateKeyPairSync('ed25519').privateKey, iv], ['aes-128-cbc', 'x', iv, { encoding: 5 }]]) {
    attempt('cipher', () => typeof crypto.createCipheriv(...args));
    attempt('decipher', () => typeof crypto.createDecipheriv(...args));
}
attempt('update', () => cbc().update());
attempt('update', () => cbc().update({}));
attempt('update', () => cbc().update('abc', 'hex'));
attempt('update', () => cbc().update('abc', 'utf8', 'x'));
attempt('final', () => { const one = cbc(); one.final(); one.final(); });
attempt('after', () => { const one = cbc(); one.final(); one.update('a'); });
attempt('after', () => { const one = cbc(); one.final(); one.setAutoPadding(); });
attempt('padding', () => { const one = cbc().setAutoPadding(false); one.update('a'); one.final(); });
attempt('decrypt', () => { const one = uncbc(); one.update(Buffer.alloc(16)); one.final(); });
attempt('decrypt', () => { const one = uncbc(); one.update(Buffer.alloc(15)); one.final(); });
attempt('tag', () => gcm().final());
attempt('tag', () => gcm().setAuthTag(Buffer.alloc(3)));
attempt('tag', () => gcm({ authTagLength: 12 }).setAuthTag(Buffer.alloc(16)));
attempt('tag', () => typeof gcm().setAuthTag(Buffer.alloc(16)).setAuthTag(Buffer.alloc(16)));
attempt('tag', () => uncbc().setAuthTag(Buffer.alloc(16)));
attempt('tag', () => cbc().getAuthTag());
attempt('tag', () => crypto.createCipheriv('aes-128-gcm', key, short).getAuthTag());
attempt('tag', () => crypto.createCipheriv('aes-128-gcm', key, short).setAuthTag);
attempt('data', () => cbc().setAAD(Buffer.alloc(1)));
attempt('data', () => gcm().setAAD(5));
attempt('data', () => crypto.createCipheriv('aes-128-ccm', key, short, { authTagLength: 16 }).setAAD(Buffer.alloc(1)));
attempt('data', () => crypto.createCipheriv('aes-128-ccm', key, Buffer.alloc(13), { authTagLength: 16 }).setAAD(Buffer.alloc(1), { plaintextLength: 70000 }));
attempt('long', () => crypto.createCipheriv('aes-128-ccm', key, Buffer.alloc(13), { authTagLength: 16 }).update(Buffer.alloc(70000)));
attempt('chacha', () => crypto.createDecipheriv('chacha20-poly1305', Buffer.alloc(32), short).final());
attempt('info', () => crypto.getCipherInfo());
attempt('info', () => crypto.getCipherInfo('aes-128-cbc', 5));
attempt('info', () => crypto.getCipherInfo('aes-128-cbc', { keyLength: 'x' }));

const { publicKey, privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
attempt('rsa', () => crypto.publicEncrypt(publicKey, Buffer.alloc(200)));
attempt('rsa', () => crypto.publicEncrypt({ key: publicKey, oaepHash: 'x' }, Buffer.alloc(2)));
attempt('rsa', () => crypto.publicEncrypt({ key: publicKey, oaepHash: 5 }, Buffer.alloc(2)));
attempt('rsa', () => crypto.publicEncrypt(publicKey, 5));
attempt('rsa', () => crypto.privateDecrypt(privateKey, Buffer.alloc(128)));
attempt('rsa', () => crypto.privateDecrypt({ key: privateKey, padding: crypto.constants.RSA_PKCS1_PADDING }, Buffer.alloc(128)));
attempt('rsa', () => crypto.privateDecrypt(publicKey, Buffer.alloc(128)));
attempt('rsa', () => crypto.publicDecrypt(publicKey, Buffer.alloc(128)));
