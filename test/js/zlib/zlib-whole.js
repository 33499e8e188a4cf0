'use strict';
// Whole buffers, with each pair of functions: at once, with a callback, with a
// promise.  What differs between versions of the libraries, the compressed bytes,
// is not printed.
const zlib = require('zlib');
const { promisify } = require('util');

const samples = { empty: Buffer.alloc(0), byte: Buffer.from([7]), zeros: Buffer.alloc(3e5),
    text: Buffer.from('The quick brown fox. '.repeat(5000)),
    noise: Buffer.from(Array.from({ length: 70000 }, (_, i) => (i * i * 31 + (i >> 3)) & 255)) };
const pairs = [['deflate', 'inflate'], ['gzip', 'gunzip'], ['deflateRaw', 'inflateRaw'], ['gzip', 'unzip'],
    ['deflate', 'unzip'], ['brotliCompress', 'brotliDecompress']];

async function main() {
    for (const [pack, unpack] of pairs)
        for (const [name, data] of Object.entries(samples)) {
            const packed = zlib[`${pack}Sync`](data);
            const later = await promisify(zlib[pack])(data);
            const at = zlib[`${unpack}Sync`](later), after = await promisify(zlib[unpack])(packed);
            console.log(pack, unpack, name, packed.equals(later), at.equals(data), after.equals(data),
                packed.length < data.length || data.length < 100 || name === 'noise', at.constructor.name);
        }
    for (const level of [-1, 0, 1, 6, 9])
        for (const strategy of [0, 1, 2, 3, 4]) {
            const packed = zlib.deflateSync(samples.text, { level, strategy, memLevel: 1 + level % 9 || 1, windowBits: 12 });
            console.log(level, strategy, zlib.inflateSync(packed).equals(samples.text), packed.length < samples.text.length);
        }
    for (const quality of [0, 5, 11]) {
        const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: quality,
            [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
            [zlib.constants.BROTLI_PARAM_LGWIN]: 16, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: samples.text.length };
        console.log('quality', quality, zlib.brotliDecompressSync(zlib.brotliCompressSync(samples.text, { params })).equals(samples.text));
    }
    // A part is enough if the last flush says so.
    const packed = zlib.gzipSync(samples.text), half = packed.subarray(0, packed.length >> 1);
    const part = zlib.gunzipSync(half, { finishFlush: zlib.constants.Z_SYNC_FLUSH });
    console.log(part.length > 0, samples.text.subarray(0, part.length).equals(part));
    await promisify(zlib.gunzip)(half).catch((error) => console.log(error.code, error.errno, error.message));
    // info
    const { buffer, engine } = zlib.gzipSync('abc', { info: true });
    console.log(buffer.length, engine.constructor.name, engine.bytesWritten, engine._closed);
    const got = await promisify(zlib.inflate)(zlib.deflateSync('abc'), { info: true });
    console.log(got.buffer.toString(), got.engine.constructor.name, got.engine.bytesWritten);
    // Small results are the same bytes everywhere.
    for (const text of ['', 'a', 'hello', 'aaaaaaaaaaaaaaaaaaaa'])
        console.log(zlib.deflateSync(text).toString('hex'), zlib.gzipSync(text).toString('hex'), zlib.deflateRawSync(text).toString('hex'));
    // Many at once
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => promisify(zlib.deflate)('x'.repeat(i * 1000))));
    console.log(all.every((bytes, i) => zlib.inflateSync(bytes).length === i * 1000));
    await promisify(zlib.inflate)('no').catch(({ name, code, errno, message }) => console.log(name, code, errno, message));
}
main();
