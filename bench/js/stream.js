// SPDX-License-Identifier: MIT
// Streams: small chunks that are pushed, written and transformed, nanoseconds
// each; 64 KiB chunks and small ones through a pipeline, nanoseconds each; and a
// stream that is made, used for one chunk and destroyed.  The first rounds are a
// warm-up.
'use strict';

const { Readable, Writable, Transform, PassThrough, pipeline } = require('stream');

const SMALL = 100000, LARGE = 20000, STREAMS = 10000;
const small = Buffer.alloc(16, 'x'), large = Buffer.alloc(65536, 'x');

function source(chunk, count) {
    return new Readable({ read() { this.push(count-- > 0 ? chunk : null); } });
}

function sink() {
    return new Writable({ write(chunk, encoding, done) { done(); } });
}

const rounds = {
    push: [SMALL, (count, done) => {
        const stream = new Readable({ read() {} });
        let left = count;
        stream.on('data', () => {
            if (--left === 0)
                done();
        });
        setImmediate(() => { // it flows by then
            for (let i = 0; i < count; i++)
                stream.push(small);
        });
    }],
    write: [SMALL, (count, done) => {
        const stream = sink();
        for (let i = 0; i < count; i++)
            stream.write(small);
        stream.end(done);
    }],
    transform: [SMALL, (count, done) => {
        const stream = new Transform({ transform(chunk, encoding, next) { next(null, chunk); } });
        stream.on('data', () => {}).on('end', done);
        let i = 0;
        (function more() {
            while (i++ < count)
                if (!stream.write(small)) {
                    stream.once('drain', more);
                    return;
                }
            stream.end();
        })();
    }],
    small: [SMALL, (count, done) => pipeline(source(small, count), new PassThrough(), sink(), done)],
    large: [LARGE, (count, done) => pipeline(source(large, count), new PassThrough(), sink(), done)],
    create: [STREAMS, (count, done) => {
        let left = count;
        for (let i = 0; i < count; i++) {
            const stream = new PassThrough();
            stream.on('close', () => {
                if (--left === 0)
                    done();
            });
            stream.write(small);
            stream.destroy();
        }
    }],
};

function time(name, scale) {
    const [count, run] = rounds[name];
    return new Promise((resolve) => {
        const began = performance.now();
        run(count * scale, () => resolve((performance.now() - began) * 1e6 / (count * scale)));
    });
}

(async () => {
    const results = [];
    for (const name of Object.keys(rounds)) {
        await time(name, 0.2);
        results.push(await time(name, 1));
    }
    console.log(...results);
})();
