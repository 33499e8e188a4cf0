// SPDX-License-Identifier: MIT
// encryption -- RSA-OAEP: the vectors of RSA for SHA-1, those of cryptography for other hashes, and
// BoringSSL's with a label.
'use strict';
const crypto = require('node:crypto');
const { each, eachLabelled, list } = require('./records.js');
const { hex, rsaPrivate } = require('./keys.js');

const { subtle } = crypto.webcrypto;
const FOLDER = 'asymmetric/RSA';
const webHash = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };
const other = { sha1: 'sha256', sha224: 'sha1', sha256: 'sha224', sha384: 'sha512', sha512: 'sha384' };

const decrypt = (key, oaepHash, secret, oaepLabel) => crypto.privateDecrypt({ key, oaepHash,
    oaepLabel, padding: crypto.constants.RSA_PKCS1_OAEP_PADDING }, secret);

function changed(bytes) {
    const copy = Buffer.from(bytes);
    copy[copy.length >> 1] ^= 1;
    return copy;
}

const opens = (count, file, record, { key, hash, plain, secret, label }) =>
    count.same(file, record, decrypt(key, hash, secret, label), plain);

// What else can be said about a message.
function checkMore(count, file, record, { key, hash, plain, secret, label }) {
    const refuses = (f) => count.accepts(file, record, false, f);
    refuses(() => decrypt(key, hash, changed(secret), label));
    refuses(() => decrypt(key, other[hash], secret, label));
    refuses(() => decrypt(key, hash, secret, Buffer.concat([label ?? Buffer.alloc(0), Buffer.from('x')])));
    const again = crypto.publicEncrypt({ key: crypto.createPublicKey(key), oaepHash: hash,
        oaepLabel: label, padding: crypto.constants.RSA_PKCS1_OAEP_PADDING }, plain);
    count.same(file, record, decrypt(key, hash, again, label), plain);
}

async function checkOnWeb(count, file, record, { key, hash, plain, secret, label }) {
    const name = 'RSA-OAEP';
    const imported = await subtle.importKey('pkcs8', key.export({ format: 'der', type: 'pkcs8' }),
        { name, hash: webHash[hash] }, false, ['decrypt']);
    const open = (bytes, more) => subtle.decrypt({ name, label, ...more }, imported, bytes);
    count.same(file, record, Buffer.from(await open(secret)), plain);
    for (const [bytes, more] of [[changed(secret)], [secret, { label: Buffer.from('x') }]]) {
        const isOpened = await open(bytes, more).then(() => true, () => false);
        count.accepts(file, record, false, () => isOpened);
    }
}

module.exports = (family) => {
    family('RSA-OAEP', async (count) => {
        const pending = [];
        let number = 0;
        const takeFrom = (file, hash) => eachLabelled(file, 'Encryption', (record) => {
            const one = { key: rsaPrivate(record), hash, plain: hex(record.Message),
                secret: hex(record.Encryption) };
            opens(count, file, record, one);
            if (number++ % 4 !== 0)
                return;
            checkMore(count, file, record, one);
            if (hash in webHash)
                pending.push(checkOnWeb(count, file, record, one));
        });
        takeFrom(`${FOLDER}/pkcs-1v2-1d2-vec/oaep-vect.txt`, 'sha1');
        for (const hash of ['sha224', 'sha256', 'sha384', 'sha512'])
            takeFrom(`${FOLDER}/oaep-custom/oaep-${hash}-${hash}.txt`, hash);
        await Promise.all(pending);
    }, { refuses: true });

    family('RSA-OAEP with a label', async (count) => {
        const file = `${FOLDER}/oaep-label.txt`, pending = [];
        each(file, ['KEY', 'OAEPDigest', 'OAEPLabel', 'Input', 'Output'], (record) => {
            const one = { key: crypto.createPrivateKey({ key: hex(record.KEY), format: 'der',
                type: 'pkcs8' }), hash: record.OAEPDigest.toLowerCase(), secret: hex(record.Input),
            plain: Buffer.from(record.Output.slice(1, -1)), label: hex(record.OAEPLabel) };
            opens(count, file, record, one);
            checkMore(count, file, record, one);
            count.accepts(file, record, false, () => decrypt(one.key, one.hash, one.secret));
            pending.push(checkOnWeb(count, file, record, one));
        });
        await Promise.all(pending);
    }, { refuses: true });

    // node:crypto uses one hash for both parts of OAEP, so it must refuse messages of two.
    family('RSA-OAEP of two hashes', (count) => {
        for (const file of list(`${FOLDER}/oaep-custom`, /txt$/)) {
            const [mask, hash] = /(sha\d+)-(sha\d+)\.txt$/.exec(file).slice(1);
            let number = 0;
            eachLabelled(file, 'Encryption', (record) => {
                if (number++ % 10 === 0)
                    count.accepts(file, record, mask === hash, () =>
                        Buffer.compare(decrypt(rsaPrivate(record), hash, hex(record.Encryption)),
                            hex(record.Message)) === 0);
            });
        }
    }, { refuses: true });
};
