// SPDX-License-Identifier: MIT
// keys -- key objects from the numbers that vectors have.
'use strict';
const crypto = require('node:crypto');

const hex = (text) => Buffer.from(text.length % 2 ? `0${text}` : text, 'hex');

// DER, as far as keys need it.
function der(tag, ...parts) {
    const body = Buffer.concat(parts);
    const size = body.length < 128 ? [body.length]
        : body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 255];
    return Buffer.concat([Buffer.from([tag, ...size]), body]);
}
function integer(text) {
    const bytes = hex(text.replace(/^0+(?=.)/, ''));
    return der(2, bytes[0] & 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes);
}
const publicKey = (key) => crypto.createPublicKey({ key, format: 'der', type: 'spki' });

const privateKey = (key, type = 'pkcs8') => crypto.createPrivateKey({ key, format: 'der', type });
const bits = (...parts) => der(3, Buffer.alloc(1), ...parts);

const rsa = (n, e) => crypto.createPublicKey({ format: 'der', type: 'pkcs1',
    key: der(0x30, integer(n), integer(e)) });

const rsaPrivate = (one) => privateKey(der(0x30, integer('00'), ...['Modulus', 'Public exponent',
    'Exponent', 'Prime 1', 'Prime 2', 'Prime exponent 1', 'Prime exponent 2', 'Coefficient']
    .map((name) => integer(one[name]))), 'pkcs1');

const dsa = (p, q, g, y) => publicKey(der(0x30, der(0x30, der(6, hex('2a8648ce380401')),
    der(0x30, integer(p), integer(q), integer(g))), bits(integer(y))));

const dhId = (p, g) => der(0x30, der(6, hex('2a864886f70d010301')),
    der(0x30, integer(p), integer(g)));
const dhPublic = (p, g, y) => publicKey(der(0x30, dhId(p, g), bits(integer(y))));
const dhPrivate = (p, g, x) => privateKey(der(0x30, integer('00'), dhId(p, g), der(4, integer(x))));

// Curves: the identifier, and the bytes of a coordinate.
const curves = { 'P-192': ['2a8648ce3d030101', 24], 'P-224': ['2b81040021', 28],
    'P-256': ['2a8648ce3d030107', 32], 'P-384': ['2b81040022', 48], 'P-521': ['2b81040023', 66] };

function point(curve, x, y) {
    const size = 2 * curves[curve][1];
    return hex(`04${x.padStart(size, '0').slice(-size)}${y.padStart(size, '0').slice(-size)}`);
}
const ec = (curve, x, y) => publicKey(der(0x30,
    der(0x30, der(6, hex('2a8648ce3d0201')), der(6, hex(curves[curve][0]))),
    bits(point(curve, x, y))));
const signature = (r, s) => der(0x30, integer(r), integer(s));

// Curves that have an identifier of their own.
const own = { x25519: 0x6e, x448: 0x6f, ed25519: 0x70, ed448: 0x71 };
const ownId = (kind) => der(0x30, der(6, Buffer.from([0x2b, 0x65, own[kind]])));
const ownPublic = (kind, bytes) =>
    publicKey(der(0x30, ownId(kind), bits(bytes)));
const ownPrivate = (kind, bytes) =>
    privateKey(der(0x30, integer('00'), ownId(kind), der(4, der(4, bytes))));

module.exports = { curves, dhPrivate, dhPublic, dsa, ec, hex, ownPrivate, ownPublic, point, rsa,
    rsaPrivate, signature };
