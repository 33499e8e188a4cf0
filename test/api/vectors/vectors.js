// SPDX-License-Identifier: MIT
// Vectors of NIST and of RFCs, from Debian's python3-cryptography-vectors, through node:crypto
// and crypto.subtle: valid ones give their result, and changed messages, signatures, tags, keys
// and points are refused.  Prints TAP.  Node passes it, too.  An argument selects the families
// whose names begin with it.
'use strict';
const crypto = require('node:crypto');
const { FOLDER, each, lines, list } = require('./records.js');
const { curves, dsa, ec, hex, ownPrivate, ownPublic, point, rsa, signature } = require('./keys.js');

const { subtle } = crypto.webcrypto;
const families = [];
// refuses: some of its vectors must be refused.
const family = (name, run, { refuses = false } = {}) => families.push([name, run, refuses]);

// What a family counts: results that must be so, and data that must be refused.
class Count {
    right = 0;
    refused = 0;
    wrong = undefined;

    same(file, record, got, want) {
        if (Buffer.compare(got, want) === 0)
            this.right++;
        else
            this.wrong ??= `${file}: ${JSON.stringify(record).slice(0, 300)} gives ${got.toString('hex')}`;
    }
    // f returns whether it accepts, or throws.
    accepts(file, record, isValid, f) {
        let accepted, why = '';
        try {
            accepted = f() !== false;
        } catch (error) {
            accepted = false;
            why = error.message;
        }
        if (accepted !== isValid)
            this.wrong ??= `${file}: ${JSON.stringify(record).slice(0, 300)} ${accepted} ${why}`;
        else if (isValid)
            this.right++;
        else
            this.refused++;
    }
}

// ---- digests ----

const hashOf = { SHA1: 'sha1', SHA224: 'sha224', SHA256: 'sha256', SHA384: 'sha384',
    SHA512: 'sha512', SHA512_224: 'sha512-224', SHA512_256: 'sha512-256', SHA3_224: 'sha3-224',
    SHA3_256: 'sha3-256', SHA3_384: 'sha3-384', SHA3_512: 'sha3-512' };
const webHash = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };

family('digests', async (count) => {
    const pending = [];
    for (const folder of ['SHA1', 'SHA2', 'SHA3'])
        for (const file of list(`hashes/${folder}`, /(Short|Long)Msg.rsp$/)) {
            const name = hashOf[/([^/]*)(Short|Long)Msg/.exec(file)[1]];
            each(file, ['Len', 'Msg', 'MD'], (one) => {
                const data = hex(one.Msg).subarray(0, one.Len / 8);
                count.same(file, one, crypto.createHash(name).update(data).digest(), hex(one.MD));
                if (name in webHash)
                    pending.push(subtle.digest(webHash[name], data).then((made) =>
                        count.same(file, one, Buffer.from(made), hex(one.MD))));
            });
        }
    await Promise.all(pending);
});

family('extendable digests', (count) => {
    for (const file of list('hashes/SHAKE', /(Msg|Out).rsp$/))
        each(file, ['Msg', 'Output'], (one) => {
            const data = 'Len' in one ? hex(one.Msg).subarray(0, one.Len / 8) : hex(one.Msg);
            const want = hex(one.Output), outputLength = want.length;
            count.same(file, one, crypto.createHash(/SHAKE\d+/.exec(file)[0].toLowerCase(),
                { outputLength }).update(data).digest(), want);
        });
});

family('HMAC', async (count) => {
    const pending = [];
    for (const file of list('HMAC', /txt$/)) {
        const name = /-([a-z0-9]+)\.txt/.exec(file)[1];
        each(file, ['Key', 'Msg', 'MD'], (one) => {
            const key = hex(one.Key), data = hex(one.Msg), want = hex(one.MD);
            count.same(file, one, crypto.createHmac(name, key).update(data).digest()
                .subarray(0, want.length), want);
            if (!(name in webHash) || want.length < 20)
                return;
            pending.push(subtle.importKey('raw', key, { name: 'HMAC', hash: webHash[name] }, false,
                ['sign', 'verify']).then(async (imported) => {
                count.same(file, one, Buffer.from(await subtle.sign('HMAC', imported, data)), want);
                want[0] ^= 1;
                const isValid = await subtle.verify('HMAC', imported, want, data);
                count.accepts(file, one, false, () => isValid);
            }));
        });
    }
    await Promise.all(pending);
}, { refuses: true });

// ---- ciphers ----

function encipher(name, key, iv, data, decrypt) {
    const cipher = (decrypt ? crypto.createDecipheriv : crypto.createCipheriv)(name, key, iv);
    cipher.setAutoPadding(false);
    return Buffer.concat([cipher.update(data), cipher.final()]);
}

for (const [mode, pattern] of [['cbc', /rsp$/], ['ecb', /rsp$/], ['ofb', /rsp$/],
    ['cfb8', /CFB8.*rsp$/], ['cfb', /CFB128.*rsp$/], ['ctr', /txt$/]])
    family(`AES, ${mode}`, (count) => {
        for (const file of list(`ciphers/AES/${mode.replace(/8$/, '').toUpperCase()}`, pattern))
            each(file, ['KEY', 'PLAINTEXT', 'CIPHERTEXT'], (one) => {
                const key = hex(one.KEY), iv = mode === 'ecb' ? null : hex(one.IV);
                const plain = hex(one.PLAINTEXT), secret = hex(one.CIPHERTEXT);
                const name = `aes-${key.length * 8}-${mode}`;
                count.same(file, one, encipher(name, key, iv, plain, false), secret);
                count.same(file, one, encipher(name, key, iv, secret, true), plain);
            });
    });

function open(name, one, tagLength, plaintextLength) {
    const decipher = crypto.createDecipheriv(name, one.key, one.iv, { authTagLength: tagLength });
    decipher.setAuthTag(one.tag);
    decipher.setAAD(one.aad, { plaintextLength });
    return Buffer.concat([decipher.update(one.secret), decipher.final()]);
}

function openAndCheck(count, file, record, name, one, plain) {
    count.accepts(file, record, plain !== undefined, () =>
        Buffer.compare(open(name, one, one.tag.length, one.secret.length), plain ?? Buffer.alloc(0)) === 0 ||
            plain === undefined);
}

family('AES, gcm', async (count) => {
    const pending = [];
    let number = 0;
    for (const file of list('ciphers/AES/GCM', /rsp$/))
        each(file, ['Key', 'IV', 'CT', 'AAD', 'Tag'], (record) => {
            const one = { key: hex(record.Key), iv: hex(record.IV), aad: hex(record.AAD),
                secret: hex(record.CT), tag: hex(record.Tag) };
            if (number++ % 4 !== 0 || (!record.FAIL && record.PT === undefined))
                return;
            const plain = record.FAIL ? undefined : hex(record.PT);
            openAndCheck(count, file, record, `aes-${one.key.length * 8}-gcm`, one, plain);
            if (number % 32 !== 1 || one.tag.length < 12 || one.iv.length < 12)
                return;
            pending.push(subtle.importKey('raw', one.key, 'AES-GCM', false, ['decrypt'])
                .then((key) => subtle.decrypt({ name: 'AES-GCM', iv: one.iv, additionalData: one.aad,
                    tagLength: one.tag.length * 8 }, key, Buffer.concat([one.secret, one.tag])))
                .then((made) => plain ? count.same(file, record, Buffer.from(made), plain)
                    : count.accepts(file, record, false, () => true),
                () => count.accepts(file, record, plain !== undefined, () => false)));
        });
    await Promise.all(pending);
}, { refuses: true });

family('AES, ccm', (count) => {
    for (const file of list('ciphers/AES/CCM', /DVPT.*rsp$/))
        each(file, ['Key', 'Nonce', 'Adata', 'CT', 'Result'], (record) => {
            const whole = hex(record.CT), size = Number(record.Plen), aad = Number(record.Alen);
            const one = { key: hex(record.Key), iv: hex(record.Nonce),
                aad: hex(record.Adata).subarray(0, aad), secret: whole.subarray(0, size),
                tag: whole.subarray(size) };
            openAndCheck(count, file, record, `aes-${one.key.length * 8}-ccm`, one,
                record.Result === 'Pass' ? hex(record.Payload).subarray(0, size) : undefined);
        });
}, { refuses: true });

const quoted = (text) => text.startsWith('"') ? Buffer.from(text.slice(1, -1)) : hex(text);
family('ChaCha20-Poly1305', (count) => {
    const file = 'ciphers/ChaCha20Poly1305/boringssl.txt';
    each(file, ['KEY', 'NONCE', 'IN', 'AD', 'CT', 'TAG'], (record) => {
        const one = { key: hex(record.KEY), iv: quoted(record.NONCE), aad: quoted(record.AD),
            secret: quoted(record.CT), tag: hex(record.TAG).subarray(0, 16) };
        if (one.iv.length !== 12 || hex(record.TAG).length !== 16)
            return;
        openAndCheck(count, file, record, 'chacha20-poly1305', one, quoted(record.IN));
        one.tag[3] ^= 4;
        openAndCheck(count, file, record, 'chacha20-poly1305', one, undefined);
    });
}, { refuses: true });

family('AES key wrap', async (count) => {
    const pending = [];
    const unwrap = async (file, one) => {
        const key = await subtle.importKey('raw', hex(one.K), 'AES-KW', false, ['unwrapKey']);
        const got = await subtle.unwrapKey('raw', hex(one.C), key, 'AES-KW',
            { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']).then(
            async (made) => Buffer.from(await subtle.exportKey('raw', made)), () => undefined);
        count.accepts(file, one, !one.FAIL, () => got !== undefined &&
            Buffer.compare(got, hex(one.P)) === 0);
    };
    let number = 0;
    for (const file of list('keywrap/kwtestvectors', /^KW_A[ED]_\d+\.txt$/))
        each(file, ['K', 'C'], (one) => {
            const name = `aes${one.K.length * 4}-wrap`, iv = Buffer.alloc(8, 0xa6);
            count.accepts(file, one, !one.FAIL, () =>
                Buffer.compare(encipher(name, hex(one.K), iv, hex(one.C), true), hex(one.P)) === 0);
            if (number++ % 16 === 0)
                pending.push(unwrap(file, one));
        });
    await Promise.all(pending);
}, { refuses: true });

// ---- derivation ----

family('HKDF', async (count) => {
    const pending = [];
    for (const file of list('KDF', /hkdf|HKDF/))
        each(file, ['IKM', 'L', 'OKM'], (one) => {
            const hash = one.Hash ?? (/SHA1\./.test(file) ? 'SHA-1' : 'SHA-256');
            const salt = hex(one.salt ?? ''), info = hex(one.info ?? '');
            const want = hex(one.OKM), size = want.length;
            if (size !== Number(one.L))
                return;
            count.same(file, one, Buffer.from(crypto.hkdfSync(hash.replace('-', ''), hex(one.IKM),
                salt, info, size)), want);
            pending.push(subtle.importKey('raw', hex(one.IKM), 'HKDF', false, ['deriveBits'])
                .then((key) => subtle.deriveBits({ name: 'HKDF', hash, salt, info }, key, 8 * size))
                .then((made) => count.same(file, one, Buffer.from(made), want)));
        });
    await Promise.all(pending);
});

const cString = (text) => Buffer.from(text.replaceAll('\\0', '\0'), 'latin1');
family('PBKDF2 and scrypt', async (count) => {
    const pending = [];
    let file = 'KDF/rfc-6070-PBKDF2-SHA1.txt';
    each(file, ['PASSWORD', 'SALT', 'ITERATIONS', 'DERIVED_KEY'], (one) => {
        const rounds = Number(one.ITERATIONS), want = hex(one.DERIVED_KEY);
        if (rounds > 10000)
            return;
        const password = cString(one.PASSWORD), salt = cString(one.SALT);
        count.same(file, one, crypto.pbkdf2Sync(password, salt, rounds, want.length, 'sha1'), want);
        pending.push(subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
            .then((key) => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt,
                iterations: rounds }, key, 8 * want.length))
            .then((made) => count.same('KDF', one, Buffer.from(made), want)));
    });
    file = 'KDF/scrypt.txt';
    each(file, ['PASSWORD', 'SALT', 'N', 'r', 'p', 'DERIVED_KEY'], (one) => {
        const want = hex(one.DERIVED_KEY);
        if (Number(one.N) <= 16384)
            count.same(file, one, crypto.scryptSync(cString(one.PASSWORD), cString(one.SALT),
                want.length, { N: Number(one.N), r: Number(one.r), p: Number(one.p),
                    maxmem: 1 << 26 }), want);
    });
    await Promise.all(pending);
});

// ---- signatures ----

family('ECDSA', async (count) => {
    const pending = [], file = 'asymmetric/ECDSA/FIPS_186-3/SigVer.rsp';
    each(file, ['Msg', 'Qx', 'Qy', 'R', 'S', 'Result'], (one) => {
        const [curve, hash] = one.title.split(',');
        if (!(curve in curves))
            return;
        const isValid = one.Result.startsWith('P');
        count.accepts(file, one, isValid, () => crypto.verify(hash.replace('-', ''), hex(one.Msg),
            ec(curve, one.Qx, one.Qy), signature(one.R, one.S)));
        if (!/^P-(256|384|521)$/.test(curve) || hash === 'SHA-224')
            return;
        const size = 2 * curves[curve][1];
        const raw = hex(one.R.padStart(size, '0').slice(-size) + one.S.padStart(size, '0').slice(-size));
        pending.push(subtle.importKey('raw', point(curve, one.Qx, one.Qy),
            { name: 'ECDSA', namedCurve: curve }, false, ['verify'])
            .then((key) => subtle.verify({ name: 'ECDSA', hash }, key, raw, hex(one.Msg)))
            .then((answer) => answer, () => false)
            .then((answer) => count.accepts(file, one, isValid, () => answer)));
    });
    await Promise.all(pending);
}, { refuses: true });

family('RSA signatures', async (count) => {
    const pending = [];
    for (const [file, name] of [['SigVer15_186-3.rsp', 'RSASSA-PKCS1-v1_5'],
        ['SigVerPSS_186-3.rsp', 'RSA-PSS']])
        each(`asymmetric/RSA/FIPS_186-2/${file}`, ['n', 'e', 'SHAAlg', 'Msg', 'S', 'Result'], (one) => {
            const key = rsa(one.n, one.e), isValid = one.Result.startsWith('P');
            const data = hex(one.Msg), sign = hex(one.S);
            const padding = name === 'RSA-PSS' ? crypto.constants.RSA_PKCS1_PSS_PADDING
                : crypto.constants.RSA_PKCS1_PADDING;
            count.accepts(file, one, isValid, () => crypto.verify(one.SHAAlg, data,
                { key, padding, saltLength: crypto.constants.RSA_PSS_SALTLEN_AUTO }, sign));
            const hash = webHash[one.SHAAlg.toLowerCase()];
            if (hash === undefined)
                return;
            pending.push(subtle.importKey('jwk', key.export({ format: 'jwk' }), { name, hash }, false,
                ['verify']).then((made) => subtle.verify({ name, saltLength: hex(one.SaltVal).length },
                made, sign, data)).then((answer) => answer, () => false)
                .then((answer) => count.accepts(file, one, isValid, () => answer)));
        });
    await Promise.all(pending);
}, { refuses: true });

// Two forms of one signature: DER, and the bytes of R and S.
family('DSA', (count) => {
    for (const folder of ['FIPS_186-2', 'FIPS_186-3'])
        for (const name of ['SigVer', 'SigGen']) {
            const file = `asymmetric/DSA/${folder}/${name}.rsp`;
            each(file, ['P', 'Q', 'G', 'Msg', 'Y', 'R', 'S'], (one) => {
                const hash = /SHA-\d+/.exec(one.title)?.[0].replace('-', '') ?? 'SHA1';
                const isValid = name === 'SigGen' || one.Result.startsWith('P');
                const key = dsa(one.P, one.Q, one.G, one.Y), data = hex(one.Msg);
                count.accepts(file, one, isValid, () => crypto.verify(hash, data, key,
                    signature(one.R, one.S)));
                const raw = hex([one.R, one.S].map((text) => text.padStart(one.Q.length, '0')).join(''));
                count.accepts(file, one, isValid, () => crypto.verify(hash, data,
                    { key, dsaEncoding: 'ieee-p1363' }, raw));
                raw[raw.length - 1] ^= 1;
                count.accepts(file, one, false, () => crypto.createVerify(hash).update(data)
                    .verify({ key, dsaEncoding: 'ieee-p1363' }, raw));
            });
        }
}, { refuses: true });

family('Ed25519 and Ed448', (count) => {
    let file = 'asymmetric/Ed25519/sign.input';
    for (const line of lines(file)) {
        const [secret, open_, message, signed] = line.split(':');
        if (signed === undefined)
            continue;
        const data = hex(message), want = hex(signed).subarray(0, 64);
        const key = ownPublic('ed25519', hex(open_));
        count.same(file, line, crypto.sign(null, data, ownPrivate('ed25519', hex(secret).subarray(0, 32))), want);
        count.accepts(file, line, true, () => crypto.verify(null, data, key, want));
        want[data.length % 64] ^= 1;
        count.accepts(file, line, false, () => crypto.verify(null, data, key, want));
    }
    file = 'asymmetric/Ed448/rfc8032.txt';
    each(file, ['SECRET', 'PUBLIC', 'MESSAGE', 'SIGNATURE'], (one) => {
        const data = hex(one.MESSAGE);
        if ('CONTEXT' in one)
            return;
        count.same(file, one, crypto.sign(null, data, ownPrivate('ed448', hex(one.SECRET))),
            hex(one.SIGNATURE));
        count.accepts(file, one, true, () => crypto.verify(null, data,
            ownPublic('ed448', hex(one.PUBLIC)), hex(one.SIGNATURE)));
    });
}, { refuses: true });

require('./encryption.js')(family);
require('./agreement.js')(family);

async function main() {
    console.log(`# vectors of ${FOLDER}`);
    let number = 0;
    const [, , wanted = ''] = process.argv; // the beginning of a name
    for (const [name, run, refuses] of families.filter(([one]) => one.startsWith(wanted))) {
        const count = new Count();
        try {
            await run(count);
        } catch (error) {
            count.wrong ??= error.stack;
        }
        if (count.right === 0 || (refuses && count.refused === 0))
            count.wrong ??= 'no vectors were found';
        console.log(`${count.wrong === undefined ? 'ok' : 'not ok'} ${++number} - ${name}: ` +
            `${count.right} results, ${count.refused} refusals`);
        if (count.wrong !== undefined) {
            console.log(`# ${count.wrong}`.replaceAll('\n', '\n# '));
            process.exitCode = 1;
        }
    }
    if (number === 0)
        process.exitCode = 1;
    console.log(`1..${number}`);
}
main();
