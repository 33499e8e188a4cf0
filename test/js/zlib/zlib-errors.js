'use strict';
// What the functions and classes of zlib refuse, and how.
const zlib = require('zlib');
const { constants } = zlib;

function attempt(name, run) {
    try {
        const result = run();
        console.log(name, 'gives', Buffer.isBuffer(result) ? result.toString('hex') : typeof result);
    } catch (error) {
        const text = error.message.replace(/<= \d{7,}/, '<= the longest buffer');
        console.log(name, 'throws', error.name, error.code, error.errno, text,
            Object.keys(error).join());
    }
}

for (const [key, values] of Object.entries({
    level: [99, -2, 'a', null, Infinity, NaN, 1.5, 0, 9], windowBits: [7, 16, 0, '9', 9, 15],
    memLevel: [0, 10, {}, 1, 9], strategy: [9, -1, 4, 0, 'x'], chunkSize: [3, 63, 64, Infinity, '64', 100.5],
    flush: [99, -1, 5, 'x'], finishFlush: [-1, 6, 2], maxOutputLength: [0, -1, 'x', 1e4],
    dictionary: [5, 'text', null, Buffer.from('abc'), new ArrayBuffer(3), new DataView(new ArrayBuffer(3))] }))
    for (const value of values)
        for (const name of ['deflateSync', 'createGzip', 'createUnzip', 'createInflateRaw'])
            attempt(`${name}(${key}: ${String(value)})`, () => {
                zlib[name](...name.startsWith('create') ? [] : ['x'], { [key]: value });
            });
for (const options of [null, 5, 's', undefined, {}])
    attempt(`gzipSync(${options})`, () => zlib.gzipSync('x', options));

for (const params of [{ 99: 1 }, { [-1]: 1 }, { 9: 1 }, { x: 1 }, { 1: 'x' }, { 1: null }, { 1: 5 }, { 0: true }])
    attempt(`createBrotliCompress(${JSON.stringify(params)})`, () => typeof zlib.createBrotliCompress({ params }));
attempt('brotli flush', () => typeof zlib.createBrotliCompress({ flush: 4 }));
attempt('brotli finishFlush', () => typeof zlib.createBrotliCompress({ finishFlush: 3 }));

const zipped = zlib.gzipSync('hello world'), deflated = zlib.deflateSync('hello world');
const brotli = zlib.brotliCompressSync('hello world');
for (const [name, bytes] of Object.entries({ text: 'abc', empty: Buffer.alloc(0), cut: zipped.subarray(0, 20),
    one: Buffer.from([0x1f]), two: Buffer.from([0x1f, 0x8b]), zeros: Buffer.alloc(40), whole: zipped,
    deflated, cutDeflated: deflated.subarray(0, -2), brotli, cutBrotli: brotli.subarray(0, -2),
    badSum: Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)]),
    method: Buffer.from([0x1f, 0x8b, 9, 0, 0, 0, 0, 0, 0, 3]) }))
    for (const decode of ['gunzipSync', 'unzipSync', 'inflateSync', 'inflateRawSync'])
        attempt(`${decode}(${name})`, () => zlib[decode](bytes));
for (const bytes of [[], [0xff, 0xff, 0xff], [0x91], [0x21, 0, 0, 4, 0xff], [0x0b, 0x02, 0x80, 0x61, 0x62, 0x63, 0x03], [3], [3, 4]])
    attempt(`brotliDecompressSync(${bytes})`, () => zlib.brotliDecompressSync(Buffer.from(bytes)));

// Several members, and what may follow them
const two = Buffer.concat([zlib.gzipSync('abc'), zlib.gzipSync('def')]);
for (const [name, tail] of Object.entries({ none: [], zeros: Array(10).fill(0), garbage: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    header: [0x1f, 0x8b, 0xff, 0xff, 0, 0, 0, 0, 0, 0], part: [0x1f, 0x8b, 0xff, 0xff], half: [0x1f] }))
    for (const decode of ['gunzipSync', 'unzipSync'])
        attempt(`${decode} of two members and ${name}`, () => zlib[decode](Buffer.concat([two, Buffer.from(tail)])));
attempt('inflateSync with a tail', () => zlib.inflateSync(Buffer.concat([deflated, Buffer.from('tail')])));

// Dictionaries
const dictionary = Buffer.from('hello world');
const spoken = zlib.deflateSync('hello world', { dictionary });
const raw = zlib.deflateRawSync('hello world', { dictionary });
attempt('no dictionary', () => zlib.inflateSync(spoken));
attempt('another dictionary', () => zlib.inflateSync(spoken, { dictionary: Buffer.from('x') }));
attempt('the dictionary', () => zlib.inflateSync(spoken, { dictionary }));
attempt('raw, the dictionary', () => zlib.inflateRawSync(raw, { dictionary }));
attempt('raw, no dictionary', () => zlib.inflateRawSync(raw));
attempt('gzip with a dictionary', () => zlib.gunzipSync(zlib.gzipSync('x', { dictionary }), { dictionary }));

// Bombs
const bomb = zlib.gzipSync(Buffer.alloc(5e6)), limit = { maxOutputLength: 1000 };
attempt('bomb', () => zlib.gunzipSync(bomb, limit));
attempt('exactly', () => zlib.gunzipSync(zlib.gzipSync(Buffer.alloc(1000)), limit).length);
attempt('one more', () => zlib.gunzipSync(zlib.gzipSync(Buffer.alloc(1001)), limit).length);
attempt('brotli bomb', () => zlib.brotliDecompressSync(zlib.brotliCompressSync(Buffer.alloc(1e6)), limit));
zlib.gunzip(bomb, limit, (error, result) => console.log('async bomb', error.name, error.code, error.message, result));
attempt('compressed beyond the limit', () => zlib.deflateSync(Buffer.from('abcdefghij'), { maxOutputLength: 5 }));

// Arguments
for (const value of [5, null, undefined, {}, [], Symbol.iterator, () => {}])
    attempt(`gzipSync(${typeof value})`, () => zlib.gzipSync(value));
for (const bytes of [new ArrayBuffer(4), new DataView(new ArrayBuffer(4)), new SharedArrayBuffer(4), new Uint16Array(2), ''])
    attempt(bytes.constructor.name, () => zlib.inflateSync(zlib.deflateSync(bytes)));
attempt('gzip()', () => zlib.gzip());
attempt('gzip(text)', () => zlib.gzip('a'));
attempt('gzip(text, number)', () => zlib.gzip('a', 5));
attempt('gzip(number, callback)', () => zlib.gzip(5, () => {}));
attempt('crc32', () => String(zlib.crc32('abc')));
for (const args of [[5], ['abc', -1], ['abc', 'x'], ['abc', 1.5], ['abc', 2 ** 32]])
    attempt(`crc32(${args})`, () => zlib.crc32(...args));
console.log(zlib.crc32('abc'), zlib.crc32(Buffer.from('def'), zlib.crc32('abc')) === zlib.crc32('abcdef'),
    zlib.crc32(''), zlib.crc32('x', 2 ** 32 - 1), zlib.crc32(new Uint16Array([1, 2])));
const stream = zlib.createGzip();
attempt('params(99)', () => stream.params(99, 0, () => {}));
attempt('params(1, 7)', () => stream.params(1, 7, () => {}));
attempt('flush("x")', () => stream.flush('x'));
for (const run of ['reset', 'flush']) {
    const closed = zlib.createGzip();
    closed.close();
    attempt(`${run} after close`, () => { closed.on('error', () => {}); closed[run](); });
}
console.log(constants.Z_FINISH, zlib.codes.Z_DATA_ERROR, zlib.codes['-3'], Object.isFrozen(constants),
    Object.isFrozen(zlib.codes), zlib.Z_BEST_SPEED, zlib.BROTLI_DECODE, constants.GZIP);
console.log(zlib.Gzip({}) instanceof zlib.Gzip, zlib.Gzip.length, zlib.Gzip.name, zlib.gzip.length, zlib.gzip.name,
    zlib.gzipSync.name, zlib.createGzip.name, zlib.BrotliCompress() instanceof zlib.BrotliCompress);
for (const name of ['createGzip', 'gzip', 'constants', 'codes', 'Gzip', 'Z_OK']) {
    const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(zlib, name);
    console.log(name, writable, enumerable, configurable);
}
