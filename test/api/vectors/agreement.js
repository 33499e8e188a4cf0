// SPDX-License-Identifier: MIT
// agreement -- secrets that two keys share: X25519, X448, ECDH and DH, with node:crypto and
// crypto.subtle.
'use strict';
const crypto = require('node:crypto');
const { each, list } = require('./records.js');
const { curves, dhPrivate, dhPublic, hex, ownPrivate, ownPublic, point } = require('./keys.js');

const { subtle } = crypto.webcrypto;
const url = (bytes) => bytes.toString('base64url');

// ---- X25519 and X448 ----

function montgomery(count, kind) {
    const file = `asymmetric/${kind.toUpperCase()}/rfc7748.txt`, pending = [];
    const derive = async (scalar, u) => {
        const key = await subtle.importKey('pkcs8', ownPrivate(kind, scalar)
            .export({ format: 'der', type: 'pkcs8' }), 'X25519', false, ['deriveBits']);
        const other = await subtle.importKey('raw', u, 'X25519', true, []);
        return Buffer.from(await subtle.deriveBits({ name: 'X25519', public: other }, key, 256));
    };
    each(file, ['INPUT_SCALAR', 'INPUT_U', 'OUTPUT_U'], (one) => {
        if (one.ITERATIONS !== undefined && Number(one.ITERATIONS) !== 1)
            return;
        const scalar = hex(one.INPUT_SCALAR), u = hex(one.INPUT_U), want = hex(one.OUTPUT_U);
        count.same(file, one, crypto.diffieHellman({ privateKey: ownPrivate(kind, scalar),
            publicKey: ownPublic(kind, u) }), want);
        if (kind === 'x25519')
            pending.push(derive(scalar, u).then((made) => count.same(file, one, made, want)));
    });
    const size = kind === 'x448' ? 56 : 32, zero = Buffer.alloc(size);
    count.accepts(file, 'zero', false, () => crypto.diffieHellman({
        privateKey: ownPrivate(kind, Buffer.alloc(size, 8)), publicKey: ownPublic(kind, zero) }));
    if (kind === 'x25519')
        pending.push(derive(Buffer.alloc(size, 8), zero).then(() => true, () => false)
            .then((answer) => count.accepts(file, 'zero', false, () => answer)));
    return Promise.all(pending);
}

// ---- ECDH ----

const opensslCurve = { EA: 'P-192', EB: 'P-224', EC: 'P-256', ED: 'P-384', EE: 'P-521' };
const opensslName = { 'P-192': 'prime192v1', 'P-224': 'secp224r1', 'P-256': 'prime256v1',
    'P-384': 'secp384r1', 'P-521': 'secp521r1' };

function nist(count) {
    const pending = [];
    const derive = async (curve, d, own, peer) => {
        const size = curves[curve][1], name = 'ECDH', type = { name, namedCurve: curve };
        const key = await subtle.importKey('jwk', { kty: 'EC', crv: curve, d: url(d),
            x: url(own.subarray(1, 1 + size)), y: url(own.subarray(1 + size)) }, type, false, ['deriveBits']);
        const other = await subtle.importKey('raw', peer, type, true, []);
        return Buffer.from(await subtle.deriveBits({ name, public: other }, key,
            curve === 'P-521' ? null : 8 * size));
    };
    for (const file of list('asymmetric/ECDH', /NOKC_ZZOnly.*fax$/))
        each(file, ['dsIUT', 'QsIUTx', 'QsIUTy', 'QsCAVSx', 'QsCAVSy', 'Result'], (one) => {
            const curve = opensslCurve[one.title.slice(0, 2)];
            if (curve === undefined)
                return;
            const size = curves[curve][1], hash = one.title.split('-')[1].trim();
            const d = hex(one.dsIUT.padStart(2 * size, '0')), isValid = one.Result.startsWith('P');
            const own = point(curve, one.QsIUTx, one.QsIUTy);
            const peer = point(curve, one.QsCAVSx, one.QsCAVSy);
            const isRight = (z) => crypto.createHash(hash).update(z).digest('hex') ===
                (one.CAVSHashZZ ?? one.HashZZ);
            count.accepts(file, one, isValid, () => {
                const ecdh = crypto.createECDH(opensslName[curve]);
                ecdh.setPrivateKey(d);
                const z = ecdh.computeSecret(peer);
                return Buffer.compare(ecdh.getPublicKey(), own) === 0 && isRight(z);
            });
            if (/^P-(256|384|521)$/.test(curve))
                pending.push(derive(curve, d, own, peer).then(isRight, () => false)
                    .then((answer) => count.accepts(file, one, isValid, () => answer)));
        });
    return Promise.all(pending);
}

function brainpool(count) {
    const file = 'asymmetric/ECDH/brainpool.txt';
    each(file, ['curve', 'dA', 'x_qA', 'y_qA', 'dB', 'x_qB', 'y_qB', 'x_Z'], (one) => {
        const sides = ['A', 'B'].map((side) => {
            const ecdh = crypto.createECDH(one.curve);
            ecdh.setPrivateKey(hex(one[`d${side}`]));
            count.same(file, one, ecdh.getPublicKey(), hex(`04${one[`x_q${side}`]}${one[`y_q${side}`]}`));
            return ecdh;
        });
        for (const [mine, theirs] of [sides, sides.toReversed()]) {
            count.same(file, one, mine.computeSecret(theirs.getPublicKey()), hex(one.x_Z));
            const wrong = theirs.getPublicKey();
            wrong[wrong.length - 1] ^= 1; // not on the curve
            count.accepts(file, one, false, () => mine.computeSecret(wrong));
        }
    });
}

// ---- DH ----

const decimal = (text) => {
    const digits = BigInt(text).toString(16);
    return digits.padStart(digits.length + digits.length % 2, '0');
};

// Each group is made once, because node:crypto checks whether its prime is one.
const made = new Map();
function dhOf(p, g, x) {
    const name = `${p} ${g}`;
    if (!made.has(name))
        made.set(name, crypto.createDiffieHellman(hex(p), hex(g)));
    const dh = made.get(name);
    dh.setPrivateKey(hex(x));
    return dh;
}

// The secret that private key x (hexadecimal) shares with y, as node:crypto's class has it, and
// as key objects have it.
function agree(count, file, record, { p, g, x, y, z }) {
    count.same(file, record, dhOf(p, g, x).computeSecret(hex(y)), hex(z));
    count.same(file, record, crypto.diffieHellman({ privateKey: dhPrivate(p, g, x),
        publicKey: dhPublic(p, g, y) }), hex(z));
}

// A static key of the other side that is not in the subgroup of order Q cannot be recognised
// without Q, which these interfaces do not take: such records ("F (1") are left out.
function finiteField(count) {
    for (const file of list('asymmetric/DH', /FFCStatic_NOKC_ZZOnly.*fax$/))
        each(file, ['P', 'G', 'XstatIUT', 'YstatIUT', 'YstatCAVS', 'Z', 'Result'], (one) => {
            if (one.Result.startsWith('F (1'))
                return;
            const hash = one.title.split('-')[1].trim(), isValid = one.Result.startsWith('P');
            if (isValid)
                agree(count, file, one, { p: one.P, g: one.G, x: one.XstatIUT, y: one.YstatCAVS, z: one.Z });
            count.accepts(file, one, isValid, () => {
                const dh = dhOf(one.P, one.G, one.XstatIUT);
                dh.generateKeys(); // the public one
                const z = dh.computeSecret(hex(one.YstatCAVS));
                return BigInt(`0x${dh.getPublicKey('hex')}`) === BigInt(`0x${one.YstatIUT}`) &&
                    crypto.createHash(hash).update(z).digest('hex') === (one.CAVSHashZZ ?? one.HashZZ);
            });
        });
}

function groups(count) {
    let file = 'asymmetric/DH/RFC5114.txt';
    each(file, ['P', 'G', 'XstatCAVS', 'YstatCAVS', 'XstatIUT', 'YstatIUT', 'Z'], (one) => {
        agree(count, file, one, { p: one.P, g: one.G, x: one.XstatIUT, y: one.YstatCAVS, z: one.Z });
        agree(count, file, one, { p: one.P, g: one.G, x: one.XstatCAVS, y: one.YstatIUT, z: one.Z });
    });
    file = 'asymmetric/DH/rfc3526.txt';
    const names = { 384: 'modp5', 512: 'modp14', 768: 'modp15', 1024: 'modp16', 1536: 'modp17', 2048: 'modp18' };
    each(file, ['P', 'G'], (one) => {
        const group = crypto.getDiffieHellman(names[one.P.length]);
        count.same(file, one, group.getPrime(), hex(one.P));
        count.same(file, one, group.getGenerator(), hex(one.G));
    });
    file = 'asymmetric/DH/vec.txt';
    each(file, ['P', 'G', 'X', 'Y', 'K'], (one) => {
        if (decimal(one.P).length * 4 >= 512) // OpenSSL refuses shorter ones
            agree(count, file, one, { p: decimal(one.P), g: decimal(one.G), x: decimal(one.X),
                y: decimal(one.Y), z: one.K });
    });
    file = 'asymmetric/DH/bad_exchange.txt';
    each(file, ['G', 'P1', 'X1', 'Y1', 'P2', 'X2', 'Y2'], (one) => {
        const secret = (n, m) => {
            const [p, g, x, y] = [`P${n}`, 'G', `X${n}`, `Y${m}`].map((name) => decimal(one[name]));
            return dhOf(p, g, x).computeSecret(y, 'hex', 'hex');
        };
        count.accepts(file, one, false, () => secret(1, 2) === secret(2, 1));
        count.accepts(file, one, false, () => crypto.diffieHellman({
            privateKey: dhPrivate(...['P1', 'G', 'X1'].map((name) => decimal(one[name]))),
            publicKey: dhPublic(...['P2', 'G', 'Y2'].map((name) => decimal(one[name]))) }));
    });
}

module.exports = (family) => {
    family('X25519', (count) => montgomery(count, 'x25519'), { refuses: true });
    family('X448', (count) => montgomery(count, 'x448'), { refuses: true });
    family('ECDH of NIST', nist, { refuses: true });
    family('ECDH, Brainpool', brainpool, { refuses: true });
    family('DH of NIST', finiteField, { refuses: true });
    family('DH, groups of RFCs', groups, { refuses: true });
};
