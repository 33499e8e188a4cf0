'use strict';
// weir only
// long: address thread
// What Node 20 does not have, or does otherwise: zstd, and an input that changes
// after the call.
const assert = require('assert');
const zlib = require('zlib');
const { Readable } = require('stream');
const { promisify } = require('util');
const { constants } = zlib;

const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(2000));
const samples = [Buffer.alloc(0), Buffer.from([7]), Buffer.alloc(3e5), text];
const collect = async (stream) => Buffer.concat(await stream.toArray());
const expectCode = (code, run) => assert.throws(run, (error) => {
    assert.equal(error.code, code, error.message);
    return true;
});

async function zstd() {
    for (const data of samples) {
        const packed = zlib.zstdCompressSync(data);
        assert.equal(packed.readUInt32LE(0), 0xfd2fb528);
        assert.deepEqual(zlib.zstdDecompressSync(packed), data);
        assert.deepEqual(await promisify(zlib.zstdDecompress)(await promisify(zlib.zstdCompress)(data)), data);
        for (const chunkSize of [64, 1000, 16384])
            if (chunkSize > 64 || data.length < 1e3)
                assert.deepEqual(await collect(Readable.from([data.subarray(0, 5), data.subarray(5)])
                    .pipe(zlib.createZstdCompress({ chunkSize })).pipe(new zlib.ZstdDecompress({ chunkSize }))), data);
    }
    const packed = zlib.zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 19,
        [constants.ZSTD_c_checksumFlag]: 1 }, pledgedSrcSize: text.length });
    assert(packed.length < zlib.zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: -5 } }).length);
    assert.deepEqual(zlib.zstdDecompressSync(packed), text);
    // Several frames, and one byte at a time
    const two = Buffer.concat([zlib.zstdCompressSync('abc'), zlib.zstdCompressSync('def')]);
    assert.equal(String(zlib.zstdDecompressSync(two)), 'abcdef');
    assert.equal(String(await collect(Readable.from(Array.from(two, (byte) => Buffer.from([byte])))
        .pipe(zlib.createZstdDecompress()))), 'abcdef');
    const flushed = zlib.createZstdCompress();
    flushed.write('abc');
    await promisify(flushed.flush.bind(flushed))();
    assert.equal(String(zlib.zstdDecompressSync(flushed.read(), { finishFlush: constants.ZSTD_e_flush })), 'abc');
    flushed.destroy();
    const dictionary = Buffer.from('The quick brown fox jumps over the lazy dog.');
    const small = zlib.zstdCompressSync(dictionary, { dictionary });
    assert(small.length < zlib.zstdCompressSync(dictionary).length);
    assert.deepEqual(zlib.zstdDecompressSync(small, { dictionary }), dictionary);

    const damaged = Buffer.from(packed);
    damaged[damaged.length - 1] ^= 1;
    expectCode('ZSTD_error_checksum_wrong', () => zlib.zstdDecompressSync(damaged));
    expectCode('ZSTD_error_prefix_unknown', () => zlib.zstdDecompressSync('not zstd'));
    expectCode('Z_BUF_ERROR', () => zlib.zstdDecompressSync(packed.subarray(0, -3)));
    expectCode('Z_BUF_ERROR', () => zlib.zstdDecompressSync(''));
    expectCode('ERR_BUFFER_TOO_LARGE', () => zlib.zstdDecompressSync(zlib.zstdCompressSync(Buffer.alloc(1e6)),
        { maxOutputLength: 1e5 }));
    expectCode('ERR_ZSTD_INVALID_PARAM', () => zlib.createZstdCompress({ params: { 5: 1 } }));
    expectCode('ERR_ZSTD_INVALID_PARAM', () => zlib.createZstdDecompress({ params: { 101: 1 } }));
    expectCode('ERR_INVALID_ARG_TYPE', () => zlib.createZstdCompress({ params: { 100: '1' } }));
    expectCode('ERR_ZLIB_INITIALIZATION_FAILED', () => zlib.createZstdCompress({ params: { 101: 1000 } }));
    expectCode('ERR_OUT_OF_RANGE', () => zlib.createZstdCompress({ pledgedSrcSize: -1 }));
    expectCode('ERR_OUT_OF_RANGE', () => zlib.createZstdCompress({ flush: 3 }));
    const stream = zlib.createZstdDecompress();
    stream.end('not zstd');
    await assert.rejects(collect(stream), { code: 'ZSTD_error_prefix_unknown', errno: 10 });
}

// A call copies its input.
async function changes() {
    const input = Buffer.from(text), promise = promisify(zlib.gzip)(input);
    input.fill(0);
    assert.deepEqual(zlib.gunzipSync(await promise), text);
    const other = new Uint8Array(text).buffer, second = promisify(zlib.deflate)(other);
    structuredClone(other, { transfer: [other] });
    assert.deepEqual(zlib.inflateSync(await second), text);
    const shared = new SharedArrayBuffer(1000);
    assert.equal(zlib.inflateSync(zlib.deflateSync(shared)).length, 1000);
}

// An engine that is closed, reset or lost while the pool works on it.
async function interruptions() {
    for (const act of ['close', 'reset', 'destroy']) {
        const streams = Array.from({ length: 8 }, () => zlib.createGzip().on('error', () => {}));
        for (const stream of streams)
            stream.write(text);
        for (const stream of streams)
            stream[act]();
        await Promise.all(streams.map((stream) => act === 'reset' ? collect(stream.end()) : undefined));
    }
    for (let i = 0; i < 5; i++)
        zlib.createBrotliCompress().write(text.subarray(0, 5000));
    const engine = zlib.createGzip(), handle = engine._handle;
    engine._processChunk(text, constants.Z_FINISH, () => {});
    assert.throws(() => engine._processChunk('x', constants.Z_FINISH), /write already in progress/);
    handle.close();
    handle.close();
    handle.reset();
}

(async () => {
    await zstd();
    await changes();
    await interruptions();
    console.log('ok');
})();
