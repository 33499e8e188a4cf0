'use strict';
// The streams of zlib.
const zlib = require('zlib');
const { Readable, pipeline } = require('stream');
const { once } = require('events');
const { promisify } = require('util');

const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(4000));
const collect = async (stream) => Buffer.concat(await stream.toArray());
const pieces = (bytes, size) => Readable.from((function* () {
    for (let at = 0; at < bytes.length; at += size)
        yield bytes.subarray(at, at + size);
})(), { objectMode: false });

async function pairs() {
    for (const [pack, unpack] of [['Deflate', 'Inflate'], ['Gzip', 'Gunzip'], ['DeflateRaw', 'InflateRaw'],
        ['Gzip', 'Unzip'], ['Deflate', 'Unzip'], ['BrotliCompress', 'BrotliDecompress']])
        for (const chunkSize of [64, 1000, undefined]) {
            const size = chunkSize === 64 ? 20000 : text.length, data = text.subarray(0, size);
            const first = new zlib[pack]({ chunkSize }), second = zlib[`create${unpack}`]({ chunkSize });
            const result = await collect(pieces(data, 7777).pipe(first).pipe(second));
            console.log(pack, unpack, chunkSize, result.equals(data), first.bytesWritten === size, second.bytesRead < size,
                first.constructor.name, second instanceof zlib[unpack]);
        }
    // Byte by byte
    for (const [name, Class] of [['gzip', 'Unzip'], ['deflate', 'Unzip'], ['gzip', 'Gunzip'], ['brotliCompress', 'BrotliDecompress']])
        console.log(name, Class, (await collect(pieces(zlib[`${name}Sync`]('hello'), 1).pipe(new zlib[Class]()))).toString());
    const members = Buffer.concat([zlib.gzipSync('abc'), zlib.gzipSync('def'), Buffer.alloc(5)]);
    for (const size of [1, 3, 10, 30, 100])
        console.log('members', size, (await collect(pieces(members, size).pipe(zlib.createGunzip()))).toString());
}

async function flushes() {
    const deflate = zlib.createDeflate(), inflate = zlib.createInflate();
    deflate.pipe(inflate);
    const got = [];
    inflate.on('data', (chunk) => got.push(chunk.toString()));
    deflate.write('first');
    await promisify(deflate.flush.bind(deflate))();
    if (got.length === 0)
        await once(inflate, 'data');
    console.log('flushed', got.join());
    deflate.write('second');
    deflate.flush(zlib.constants.Z_SYNC_FLUSH);
    while (got.join('') !== 'firstsecond')
        await once(inflate, 'data');
    console.log('flushed', got.join());
    await promisify(deflate.params.bind(deflate))(0, zlib.constants.Z_DEFAULT_STRATEGY);
    await promisify(deflate.params.bind(deflate))(0, zlib.constants.Z_DEFAULT_STRATEGY);
    deflate.end('third');
    deflate.flush(() => console.log('flush after end'));
    await once(inflate, 'end');
    console.log(got.join(''), deflate._level);
    deflate.flush(() => console.log('flush after finish'));
    const brotli = zlib.createBrotliCompress(), plain = zlib.createBrotliDecompress();
    brotli.pipe(plain);
    brotli.write('abc');
    brotli.flush();
    console.log('brotli', String(await once(plain, 'data')));
    brotli.end();
    // Each write is flushed.
    const sync = zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH });
    sync.write('abc');
    console.log('sync', (await once(sync, 'data'))[0].length > 0);
    sync.destroy();
}

async function errors() {
    const show = (name) => (error) => console.log(name, error && [error.name, error.code, error.errno, error.message].join());
    for (const [name, bytes] of [['bad', Buffer.from('not gzip data')], ['cut', zlib.gzipSync(text).subarray(0, 100)]]) {
        const gunzip = zlib.createGunzip();
        gunzip.resume();
        gunzip.end(bytes);
        show(name)(await once(gunzip, 'error').then(([error]) => error));
        await (gunzip.closed || once(gunzip, 'close'));
        console.log(gunzip.destroyed, gunzip._closed, gunzip._handle);
    }
    await new Promise((resolve) => pipeline(pieces(Buffer.from('xyzxyz'), 2), zlib.createInflate(), async function* (source) {
        for await (const chunk of source)
            yield chunk;
    }, (error) => resolve(show('pipeline')(error))));
    // Data behind the end
    const inflate = zlib.createInflate();
    inflate.end(Buffer.concat([zlib.deflateSync('abc'), Buffer.from('tail')]));
    console.log('tail', String(await collect(inflate)), inflate.bytesWritten);
    // Closed in the middle
    const gzip = zlib.createGzip();
    gzip.write(text);
    gzip.close(() => console.log('closed', gzip.destroyed));
    gzip.write('more', (error) => console.log('write', error.code));
    gzip.on('error', (error) => console.log('error', error.code));
    await once(gzip, 'close');
    gzip.close();
    const twice = zlib.createGzip();
    twice.destroy(new Error('mine'));
    show('destroyed')(await once(twice, 'error').then(([error]) => error));
}

async function parts() {
    // A slow reader: only what it asks for is produced.
    const bomb = zlib.gzipSync(Buffer.alloc(2e7)), gunzip = zlib.createGunzip();
    gunzip.end(bomb);
    let count = 0, most = 0;
    for await (const chunk of gunzip) {
        count += chunk.length;
        most = Math.max(most, gunzip.readableLength);
        if (count > 1e6)
            break;
    }
    console.log('slow', count > 1e6, most < 1e6, gunzip.destroyed);
    // reset
    const deflate = zlib.createDeflateRaw();
    deflate.write('abc');
    await promisify(deflate.flush.bind(deflate))();
    deflate.reset();
    deflate.read();
    deflate.end('xyz');
    console.log('reset', String(zlib.inflateRawSync(await collect(deflate))));
    // What packages use: without a callback, at once
    const inner = new zlib.Gunzip();
    console.log(String(inner._processChunk(zlib.gzipSync('inner'), zlib.constants.Z_FINISH)), inner._handle, inner._closed);
    const bad = new zlib.Gunzip();
    try {
        bad._processChunk(Buffer.from('bad bad bad'), zlib.constants.Z_FINISH);
    } catch (error) {
        console.log(error.code);
    }
    const empty = zlib.createGzip();
    empty.end();
    console.log('empty', zlib.gunzipSync(await collect(empty)).length);
    console.log(zlib.createGzip({ objectMode: true, encoding: 'hex' }).readableObjectMode,
        zlib.createGzip({ highWaterMark: 5 }).readableHighWaterMark);
}

(async () => {
    await pairs();
    await flushes();
    await errors();
    await parts();
})();
