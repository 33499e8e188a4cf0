// SPDX-License-Identifier: MIT
// gzip of 64 MiB of a log in JSON: nanoseconds at once, and as a stream of chunks of 64 KiB.
'use strict';
const { Readable, Writable, pipeline } = require('stream');
const { createGzip, gzip } = require('zlib');

const SIZE = 64 << 20, CHUNK = 64 << 10;

// The same on each run: a line has numbers that do not repeat, and words that do.
function log() {
    let seed = 1, at = 0;
    const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
    const levels = ['debug', 'info', 'info', 'info', 'warn', 'error'], all = Buffer.alloc(SIZE);
    while (at < SIZE)
        at += all.write(`${JSON.stringify({ time: 1700000000000 + at, level: levels[random(6)],
            user: `u${random(100000)}`, path: `/api/v1/items/${random(10000)}`,
            ms: random(100000) / 100, ok: random(10) > 0 })}\n`, at);
    return all;
}
const data = log();

function* chunks() {
    for (let at = 0; at < SIZE; at += CHUNK)
        yield data.subarray(at, at + CHUNK);
}

const tell = (began) => console.log((performance.now() - began) * 1e6);

const began = performance.now();
gzip(data, (error) => {
    if (error)
        throw error;
    tell(began);
    const again = performance.now();
    pipeline(Readable.from(chunks()), createGzip(),
        new Writable({ write(chunk, encoding, done) { done(); } }), (failure) => {
            if (failure)
                throw failure;
            tell(again);
        });
});
