'use strict';
// Key objects: fixed keys in all encodings, JWK, details, equality, and clones in a worker.
const crypto = require('crypto');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const types = require('util').types;

if (!isMainThread) {
    const { keys, certificate } = workerData;
    parentPort.postMessage(keys.map((key) => [key.type, key.asymmetricKeyType,
        key.type === 'secret' ? key.export() : key.type === 'public'
            ? key.export({ type: 'spki', format: 'pem' }) : key.export({ type: 'pkcs8', format: 'pem' })]));
    return;
}

// RFC 8037, RFC 7517 and RFC 7515 have these.
const jwks = {
    ed25519: { kty: 'OKP', crv: 'Ed25519', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    x25519: { kty: 'OKP', crv: 'X25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08', d: 'dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo' },
    ec: { kty: 'EC', crv: 'P-256', x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4', y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM', d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE' },
    rsa: { kty: 'RSA', n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ', e: 'AQAB',
        d: 'Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ',
        p: '4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc',
        q: 'uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc',
        dp: 'BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0',
        dq: 'h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU',
        qi: 'IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuMf9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U' },
};

const attempt = (name, run) => {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
};

const all = [crypto.createSecretKey('0123456789abcdef', 'hex')];
for (const [name, jwk] of Object.entries(jwks)) {
    const key = crypto.createPrivateKey({ key: jwk, format: 'jwk' });
    const open = crypto.createPublicKey(key), other = crypto.createPublicKey({ key: jwk, format: 'jwk' });
    all.push(key, open);
    console.log(name, key.type, open.type, key.asymmetricKeyType, key.asymmetricKeyDetails, open.equals(other), key.equals(key), open.equals(key));
    console.log(Object.prototype.toString.call(key), types.isKeyObject(key), types.isCryptoKey(key), key instanceof crypto.KeyObject);
    console.log(JSON.stringify(key.export({ format: 'jwk' })), JSON.stringify(open.export({ format: 'jwk' })));
    for (const type of ['pkcs8', 'pkcs1', 'sec1', 'spki'])
        for (const format of ['pem', 'der'])
            for (const [which, one] of [['private', key], ['public', open]])
                attempt(`${name} ${type} ${format} ${which}`, () => {
                    const text = one.export({ type, format });
                    const back = which === 'private' ? crypto.createPrivateKey({ key: text, format, type })
                        : crypto.createPublicKey({ key: text, format, type });
                    return `${back.equals(one)} ${typeof text === 'string' ? text : text.toString('base64')}`;
                });
    for (const format of ['pem', 'der']) {
        const text = key.export({ type: 'pkcs8', format, cipher: 'aes-256-cbc', passphrase: 'sésame' });
        console.log(crypto.createPrivateKey({ key: text, format, type: 'pkcs8', passphrase: Buffer.from('sésame') }).equals(key),
            crypto.createPublicKey({ key: text, format, type: 'pkcs8', passphrase: 'sésame' }).equals(open));
    }
}

const secret = all[0];
console.log(secret.type, secret.symmetricKeySize, secret.export().toString('hex'), secret.export({ format: 'jwk' }),
    secret.equals(crypto.createSecretKey(Buffer.from('0123456789abcdef', 'hex'))), secret.equals(crypto.createSecretKey('a')));
console.log(crypto.createHmac('sha256', secret).update('x').digest('hex'), crypto.hkdfSync('sha256', secret, 's', 'i', 8).byteLength);

// A traditional PEM with a cipher, and a clone.
const pem = all[7].export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' });
console.log(/Proc-Type: 4,ENCRYPTED/.test(pem), crypto.createPrivateKey({ key: pem, passphrase: 'x' }).equals(all[7]));
console.log(all.every((key) => structuredClone(key).equals(key)));

const worker = new Worker(__filename, { workerData: { keys: all } });
worker.on('message', (list) => list.forEach(([type, kind, text], i) =>
    console.log('in the worker', type, kind, text.length ?? text.byteLength, type === all[i].type)));
