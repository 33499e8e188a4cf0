// Streams: each class, a pipeline, iteration, a file, and stdout.
const { Readable, Writable, Transform, PassThrough, pipeline } = require('stream');
const fs = require('fs');
const upper = new Transform({ transform(chunk, encoding, done) { done(null, String(chunk).toUpperCase()); } });
const parts = [];

function copy(next) {
    pipeline(Readable.from(['a', 'b', 'c']), upper, new PassThrough(), new Writable({
        write(chunk, encoding, done) {
            parts.push(String(chunk));
            setImmediate(done);
        },
    }), (error) => {
        if (error)
            throw error;
        process.stdout.write(`${parts.join('')}\n`, next);
    });
}

function read() {
    let size = 0;
    fs.createReadStream(__filename, { highWaterMark: 100, end: 250 })
        .on('data', (chunk) => { size += chunk.length; })
        .on('close', iterate);
}

async function iterate() {
    let sum = 0;
    for await (const value of Readable.from([1, 2, 3]).map((x) => x * 2))
        sum += value;
    console.log(sum === 12 ? 'done' : sum);
}

copy(read);
