'use strict';
// CompressionStream and DecompressionStream.
const zlib = require('zlib');
const web = require('stream/web');

const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20000);
async function list(readable) {
    const chunks = [];
    for await (const chunk of readable)
        chunks.push(chunk);
    return chunks;
}

async function attempt(name, run) {
    try {
        console.log(name, await run());
    } catch (error) {
        console.log(name, 'throws', error.name, error.code, error.errno, error.message);
    }
}

async function send(stream, ...chunks) {
    const writer = stream.writable.getWriter(), results = list(stream.readable);
    results.catch(() => {});
    for (const chunk of chunks)
        writer.write(chunk).catch(() => {});
    await writer.close().catch(() => {});
    return Buffer.concat(await results);
}

(async () => {
    for (const [format, unpack] of [['gzip', 'gunzip'], ['deflate', 'inflate'], ['deflate-raw', 'inflateRaw']]) {
        const packed = await send(new CompressionStream(format), Buffer.from(text), new Uint8Array([1, 2, 3]), new DataView(new ArrayBuffer(2)));
        console.log(format, zlib[`${unpack}Sync`](packed).length - text.length);
        const plain = await send(new DecompressionStream(format), ...Array.from(packed, (byte) => Uint8Array.of(byte)));
        console.log(format, plain.length - text.length);
        const back = new Blob([text]).stream().pipeThrough(new CompressionStream(format)).pipeThrough(new DecompressionStream(format));
        console.log(format, String(Buffer.concat(await list(back))) === text);
    }
    for (const format of ['x', 'br', undefined, null, 'GZIP'])
        for (const Class of [CompressionStream, DecompressionStream])
            await attempt(`${Class.name} ${format}`, () => new Class(format));
    await attempt('not gzip', () => send(new DecompressionStream('gzip'), Buffer.from('not gzip')));
    await attempt('cut', () => send(new DecompressionStream('gzip'), zlib.gzipSync('hello').subarray(0, 15)));
    await attempt('tail', async () => String(await send(new DecompressionStream('deflate'), Buffer.concat([zlib.deflateSync('abc'), Buffer.from('tail')]))));
    await attempt('empty', async () => zlib.gunzipSync(await send(new CompressionStream('gzip'))).length);
    await attempt('cancelled', async () => {
        const { readable, writable } = new CompressionStream('gzip');
        const writer = writable.getWriter(), reader = readable.getReader();
        for (const promise of [writer.ready, writer.closed])
            promise.catch(() => {});
        const written = writer.write(require('crypto').randomBytes(2 ** 21))
            .then(() => 'written', () => 'refused');
        await reader.read();
        await reader.cancel('enough');
        return written;
    });
    await attempt('this', () => Object.getOwnPropertyDescriptor(CompressionStream.prototype, 'readable').get.call({}));
    console.log(new CompressionStream('gzip'), new DecompressionStream('deflate'));
    console.log(web.CompressionStream === CompressionStream, web.DecompressionStream === DecompressionStream,
        CompressionStream.length, Object.prototype.toString.call(new CompressionStream('gzip')));
})();
