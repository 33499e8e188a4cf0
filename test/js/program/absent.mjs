// weir only
// Modules that can be loaded, but not used.
import { createRequire } from 'node:module';
import { createGzip, Inflate } from 'node:zlib';
import { spawn } from 'child_process';
import crypto from 'crypto';
import { promisify } from 'util';

function show(f) {
    try {
        console.log(f());
    } catch (error) {
        console.log(error.code, error.message);
    }
}

const require = createRequire(import.meta.url);
for (const name of ['child_process', 'cluster', 'http2', 'readline', 'readline/promises', 'v8', 'vm',
    'zlib'])
    console.log(name, Object.keys(require(name)).length, require(name) === require(`node:${name}`));
show(() => createGzip());
show(() => new Inflate());
show(() => new class Own extends Inflate {}());
show(() => spawn('true'));
show(() => crypto.createCipheriv('aes-128-cbc', 'k', 'i'));
show(() => new crypto.KeyObject());
show(() => require('cluster').isPrimary);
await promisify(require('zlib').gzip)('x').catch(({ code }) => console.log(code));
