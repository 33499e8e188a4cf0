'use strict';
// Long streams of gzip and raw deflate, which weir compresses as pieces on several
// threads: what a reader gets is one stream, whatever the sizes and flushes.
const { randomBytes } = require('crypto');
const zlib = require('zlib');
const { once } = require('events');
const { promisify } = require('util');
const { Z_SYNC_FLUSH, Z_FULL_FLUSH } = zlib.constants;

const KIB = 1024;
let seed = 7;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
const words = Array.from({ length: 500 }, () => random(1e9).toString(36));
const data = Buffer.from(Array.from({ length: 200_000 }, () => words[random(500)]).join(' '));
const whole = zlib.gzipSync(data).length;

// Writes chunks of these sizes in turn, and overwrites each when it may.
async function write(stream, sizes, flushEvery) {
    for (let at = 0, n = 1; at < data.length; n++) {
        const chunk = Buffer.from(data.subarray(at, at += sizes[n % sizes.length]));
        stream.write(chunk, () => chunk.fill(0));
        if (n % flushEvery === 0)
            await promisify(stream.flush.bind(stream))(n % 2 ? Z_FULL_FLUSH : Z_SYNC_FLUSH);
        if (stream.writableNeedDrain)
            await once(stream, 'drain');
    }
}

async function pack(stream, ...how) {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    const ended = once(stream, 'end');
    await write(stream, ...how);
    stream.end();
    await ended;
    return Buffer.concat(chunks);
}

async function sizes() {
    for (const chunks of [[64 * KIB], [64 * KIB, 1], [10, 100_000, 70_000], [3000, 64 * KIB], [1024 * KIB]])
        for (const flushEvery of [Infinity, 3, 1]) {
            const gzip = zlib.createGzip(), raw = zlib.createDeflateRaw({ level: 9 });
            const a = await pack(gzip, chunks, flushEvery), b = await pack(raw, chunks, flushEvery);
            console.log(chunks, flushEvery, zlib.gunzipSync(a).equals(data), zlib.inflateRawSync(b).equals(data),
                gzip.bytesWritten === data.length, a.length < whole * 1.2, a.subarray(0, 10).toString('hex'));
        }
    for (const level of [1, 9])
        console.log((await pack(zlib.createGzip({ level }), [64 * KIB], Infinity)).subarray(0, 10).toString('hex'));
}

// What was written before a flush can be read after it.
async function flushes() {
    const gzip = zlib.createGzip(), gunzip = zlib.createGunzip();
    let read = 0;
    gzip.pipe(gunzip).on('data', (chunk) => { read += chunk.length; });
    for (let at = 0; at < 5; at++) {
        gzip.write(data.subarray(0, 100_000 + at));
        gzip.flush(Z_SYNC_FLUSH);
        while (read < 100_000 * (at + 1) + at * (at + 1) / 2)
            await once(gunzip, 'data');
        console.log('flushed', read);
    }
    gzip.end();
    await once(gunzip, 'end');
}

async function changes() {
    const gzip = zlib.createGzip(), chunks = [];
    gzip.on('data', (chunk) => chunks.push(chunk));
    gzip.write(data.subarray(0, 128 * KIB));
    await promisify(gzip.params.bind(gzip))(1, zlib.constants.Z_DEFAULT_STRATEGY);
    gzip.end(data.subarray(128 * KIB, 256 * KIB));
    await once(gzip, 'end');
    const packed = Buffer.concat(chunks);
    console.log(gzip._level, zlib.gunzipSync(packed).equals(data.subarray(0, 256 * KIB)));
}

async function ends() {
    const destroyed = zlib.createGzip().on('data', () => {});
    for (let i = 0; i < 10; i++)
        destroyed.write(data.subarray(0, 64 * KIB));
    destroyed.destroy(new Error('enough'));
    console.log((await once(destroyed, 'error'))[0].message);
    const early = zlib.createGzip().once('data', () => early.destroy());
    early.end(data);
    await once(early, 'close');
    console.log(early.destroyed, early.readableEnded);
    const slow = zlib.createGzip(); // nobody reads yet
    let written = 0;
    while (slow.write(data.subarray(0, 64 * KIB)) && written < 100)
        written++;
    console.log('full', written < 100);
    slow.end();
    let bytes = 0;
    for await (const chunk of slow.pipe(zlib.createGunzip()))
        bytes += chunk.length;
    console.log(bytes === (written + 1) * 64 * KIB);
}

// A writer that waits for each chunk to be compressed, and a reader that waits for
// the writer: it must be held up long before it has written everything.
async function holdsUp() {
    const gzip = zlib.createGzip(), noise = randomBytes(64 * KIB);
    let written = 0, seen = 0;
    while (written < 50 && gzip.readableLength < 40 * noise.length) {
        const isTaken = new Promise((resolve) => gzip.write(noise, () => resolve(true)));
        // Turns of the loop that the pool had all the time to compress in.
        const isHeldUp = keepPoolBusy(noise).then(() => false);
        if (!await Promise.race([isTaken, isHeldUp]))
            break;
        written++;
        await keepPoolBusy(noise);
        seen = Math.max(seen, gzip.readableLength);
    }
    console.log('held up', written < 10, seen < 10 * noise.length);
    gzip.destroy();
    await once(gzip, 'close');
}

// As much work for the pool as several pieces.
async function keepPoolBusy(bytes) {
    for (let i = 0; i < 6; i++)
        await promisify(zlib.gzip)(bytes);
}

(async () => {
    await sizes();
    await holdsUp();
    await flushes();
    await changes();
    await ends();
})();
