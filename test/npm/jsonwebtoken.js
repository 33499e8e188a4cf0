'use strict';
const crypto = require('node:crypto');
const jwt = require('jsonwebtoken');

const token = jwt.sign({ name: 'ann', iat: 1 }, 'secret');
console.log(token);
console.log(jwt.verify(token, 'secret'), jwt.decode(token, { complete: true }).header);
for (const [alg, kind, options] of [['RS256', 'rsa', { modulusLength: 2048 }],
    ['PS384', 'rsa', { modulusLength: 2048 }], ['ES256', 'ec', { namedCurve: 'P-256' }]]) {
    const { privateKey, publicKey } = crypto.generateKeyPairSync(kind, options);
    const signed = jwt.sign({ role: 'admin' }, privateKey, { algorithm: alg, expiresIn: '1h',
        issuer: 'weir', subject: 'ann', audience: ['a', 'b'], keyid: 'k1' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const { role, iss, sub, aud, exp, iat } = jwt.verify(signed, pem, { audience: 'b' });
    console.log(alg, role, iss, sub, aud, exp - iat, jwt.decode(signed, { complete: true }).header);
}
for (const [text, options] of [[token, { algorithms: ['HS512'] }], [`${token}x`, {}], ['a.b', {}],
    [token, { maxAge: '1s' }], [token, { issuer: 'x' }],
    [jwt.sign({ exp: 10, iat: 1 }, 'secret'), {}], [jwt.sign({ nbf: 4e9, iat: 1 }, 'secret'), {}]])
    try {
        console.log(jwt.verify(text, 'secret', options));
    } catch (error) {
        console.log(error.name, error.message, error.expiredAt ?? error.date ?? '');
    }
try {
    jwt.sign({}, crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
        { algorithm: 'RS256' });
} catch (error) {
    console.log(error.message);
}
jwt.sign({ a: 1, iat: 1 }, 'secret', { algorithm: 'HS512' }, (error, signed) => {
    console.log(error, signed);
    jwt.verify(signed, (header, done) => done(null, 'secret'), (failed, data) =>
        console.log(failed, data));
});
