// Whole messages, which weir compresses by libdeflate unless the options need zlib: every form,
// level and size comes back, the headers are zlib's, and limits hold.
'use strict';
const { spawnSync } = require('child_process');
const { promisify } = require('util');
const zlib = require('zlib');

let seed = 1;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
const words = Array.from({ length: 500 }, () => random(1e9).toString(36));
function text(size) {
    const all = Buffer.alloc(size);
    for (let at = 0; at < size;)
        at += all.write(`${words[random(500)]} `, at);
    return all;
}
const noise = (size) => Buffer.from(Array.from({ length: size }, () => random(256)));

const forms = { gzip: ['gzipSync', 'gunzipSync'], deflate: ['deflateSync', 'inflateSync'],
    raw: ['deflateRawSync', 'inflateRawSync'] };
const inputs = { 'text 32767': text(32767), 'text 32768': text(32768), 'text 100000': text(100000),
    zeros: Buffer.alloc(300000), noise: noise(70000), 'a view': text(90000).subarray(1001, 80003) };

for (const [form, [compress, decompress]] of Object.entries(forms))
    for (const [name, input] of Object.entries(inputs))
        for (const level of [undefined, -1, 0, 1, 2, 5, 6, 8, 9]) {
            const output = zlib[compress](input, { level });
            const isBack = zlib[decompress](output).equals(input);
            const isLarger = output.length > input.length + 200;
            if (!isBack || isLarger || zlib.unzipSync(form === 'raw' ? zlib.gzipSync(input) : output)
                .compare(input) !== 0)
                console.log('wrong', form, name, level, output.length);
        }
console.log('levels done');

// headers and trailers
for (const level of [-1, 0, 1, 2, 6, 9]) {
    const input = inputs['text 100000'], gzip = zlib.gzipSync(input, { level });
    console.log(level, gzip.subarray(0, 10).toString('hex'), gzip.readUInt32LE(gzip.length - 4),
        gzip.readUInt32LE(gzip.length - 8).toString(16),
        zlib.deflateSync(input, { level }).subarray(0, 1).toString('hex'),
        zlib.deflateSync(input, { level }).subarray(-4).toString('hex'));
}

// the command
for (const [name, input] of Object.entries(inputs)) {
    const { stdout, status } = spawnSync('gzip', ['-dc'], { input: zlib.gzipSync(input),
        maxBuffer: 1 << 20 });
    console.log('gzip', name, status, stdout.equals(input));
}

// about as small as a stream's
const long = text(400000);
const stream = zlib.createGzip();
let streamed = 0;
stream.on('data', (chunk) => { streamed += chunk.length; });
stream.on('end', async () => {
    console.log('stream', zlib.gzipSync(long).length <= streamed * 1.02);
    await rest();
});
stream.end(long);

const show = (f) => {
    try {
        console.log(f());
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
};

async function rest() {
    const input = inputs['text 100000'];
    // on the pool, many at a time
    const all = await Promise.all(Object.values(inputs).flatMap((one) => [
        promisify(zlib.gzip)(one).then((output) => zlib.gunzipSync(output).equals(one)),
        promisify(zlib.deflate)(one, { level: 9 }).then((output) => zlib.inflateSync(output).equals(one)),
        promisify(zlib.deflateRaw)(one).then((output) => zlib.inflateRawSync(output).equals(one))]));
    console.log(all.join());
    // options that libdeflate does not have
    const dictionary = Buffer.from(words.join(' '));
    for (const options of [{ windowBits: 9 }, { memLevel: 1 }, { strategy: zlib.constants.Z_HUFFMAN_ONLY },
        { strategy: zlib.constants.Z_RLE }, { dictionary }])
        show(() => zlib.inflateSync(zlib.deflateSync(input, options), { dictionary }).equals(input));
    const flushed = zlib.gzipSync(input, { finishFlush: zlib.constants.Z_SYNC_FLUSH });
    show(() => zlib.gunzipSync(flushed));
    show(() => zlib.gunzipSync(flushed, { finishFlush: zlib.constants.Z_SYNC_FLUSH }).equals(input));
    // limits
    for (const maxOutputLength of [1, 1000, 10000])
        show(() => zlib.gzipSync(input, { maxOutputLength }));
    show(() => zlib.gunzipSync(zlib.gzipSync(input, { maxOutputLength: 99000 })).equals(input));
    zlib.gzip(input, { maxOutputLength: 10 }, (error) => console.log(error.code));
    // what was written
    const { buffer, engine } = zlib.gzipSync(input, { info: true });
    show(() => [zlib.gunzipSync(buffer).equals(input), engine.bytesWritten]);
    // several members
    show(() => zlib.gunzipSync(Buffer.concat([zlib.gzipSync(input), zlib.gzipSync('end')]))
        .equals(Buffer.concat([input, Buffer.from('end')])));
    // a damaged one
    const broken = zlib.gzipSync(input);
    broken[broken.length - 5] ^= 1;
    show(() => zlib.gunzipSync(broken));
    show(() => zlib.gunzipSync(broken.subarray(0, 5000)));
    // a codec that has begun
    const begun = zlib.createDeflate();
    begun.write('first');
    begun.end(input);
    let bytes = Buffer.alloc(0);
    for await (const chunk of begun)
        bytes = Buffer.concat([bytes, chunk]);
    show(() => zlib.inflateSync(bytes).equals(Buffer.concat([Buffer.from('first'), input])));
    show(() => zlib.inflateSync(zlib.createDeflate()._processChunk(input, zlib.constants.Z_FINISH))
        .equals(input));
}
