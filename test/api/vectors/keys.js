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

const rsa = (n, e) => crypto.createPublicKey({ format: 'der', type: 'pkcs1',
    key: der(0x30, integer(n), integer(e)) });

// Curves: the identifier, and the bytes of a coordinate.
const curves = { 'P-192': ['2a8648ce3d030101', 24], 'P-224': ['2b81040021', 28],
    'P-256': ['2a8648ce3d030107', 32], 'P-384': ['2b81040022', 48], 'P-521': ['2b81040023', 66] };

function point(curve, x, y) {
    const size = 2 * curves[curve][1];
    return hex(`04${x.padStart(size, '0').slice(-size)}${y.padStart(size, '0').slice(-size)}`);
}
const ec = (curve, x, y) => publicKey(der(0x30,
    der(0x30, der(6, hex('2a8648ce3d0201')), der(6, hex(curves[curve][0]))),
    der(3, Buffer.alloc(1), point(curve, x, y))));
const signature = (r, s) => der(0x30, integer(r), integer(s));

// Curves that have an identifier of their own.
const own = { x25519: 0x6e, x448: 0x6f, ed25519: 0x70, ed448: 0x71 };
const ownId = (kind) => der(0x30, der(6, Buffer.from([0x2b, 0x65, own[kind]])));
const ownPublic = (kind, bytes) =>
    publicKey(der(0x30, ownId(kind), der(3, Buffer.alloc(1), bytes)));
const ownPrivate = (kind, bytes) => crypto.createPrivateKey({ format: 'der', type: 'pkcs8',
    key: der(0x30, integer('00'), ownId(kind), der(4, der(4, bytes))) });

module.exports = { curves, ec, hex, ownPrivate, ownPublic, point, rsa, signature };
