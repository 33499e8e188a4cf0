'use strict';
// Damaged, truncated and random input: every decoder returns bytes or throws an
// error with a code, at once and as a stream, and never more than it may.
const zlib = require('zlib');
const { Random } = require('../support/random.cjs');

const random = new Random();
const names = ['gunzip', 'unzip', 'inflate', 'inflateRaw', 'brotliDecompress'];
if (zlib.zstdDecompress)
    names.push('zstdDecompress');
const packers = { gunzip: 'gzip', unzip: 'gzip', inflate: 'deflate', inflateRaw: 'deflateRaw',
    brotliDecompress: 'brotliCompress', zstdDecompress: 'zstdCompress' };
const text = Buffer.from('abcabcabcabdabcabcxyzxyz'.repeat(200));
const packed = Object.fromEntries(names.map((name) => [name, zlib[`${packers[name]}Sync`](text)]));
const maxOutputLength = 100000;

function damage(bytes) {
    const result = Buffer.from(bytes);
    const how = random.choose('damage', ['flip', 'cut', 'insert', 'random', 'repeat']);
    if (how === 'flip')
        for (let i = 1 + random.below(4); i > 0; i--)
            result[random.below(result.length)] ^= 1 << random.below(8);
    if (how === 'cut')
        return result.subarray(0, random.below(result.length));
    if (how === 'insert')
        return Buffer.concat([result.subarray(0, 10), Buffer.from([random.below(256)]), result.subarray(10)]);
    if (how === 'random')
        return Buffer.from(Array.from({ length: random.below(100) }, () => random.below(256)));
    return how === 'repeat' ? Buffer.concat([result, result]) : result;
}

function note(error, result) {
    if (error && typeof error.code !== 'string')
        console.log('no code', error);
    if (!error && result.length > maxOutputLength)
        console.log('too long');
    random.note('outcome', error ? 'error' : 'result');
}
random.expect('outcome', ['error', 'result']);

let pending = 0;
for (let round = 0; round < 2000; round++) {
    const name = random.choose('decoder', names), bytes = damage(packed[name]);
    const how = random.choose('how', ['sync', 'async', 'stream']);
    if (how === 'sync') {
        try {
            note(undefined, zlib[`${name}Sync`](bytes, { maxOutputLength }));
        } catch (error) {
            note(error);
        }
    } else if (how === 'async') {
        zlib[name](bytes, { maxOutputLength }, note);
    } else {
        const stream = zlib[`create${name[0].toUpperCase()}${name.slice(1)}`]({ chunkSize: 64 + random.below(500) });
        const at = random.below(bytes.length + 1);
        pending++;
        stream.on('error', note);
        stream.on('close', () => { pending--; });
        stream.resume();
        stream.write(bytes.subarray(0, at));
        stream.end(bytes.subarray(at));
    }
}
process.on('exit', () => console.log('pending', pending));
