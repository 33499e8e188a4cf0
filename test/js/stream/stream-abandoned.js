// weir only
// 20,000 streams that are destroyed, abandoned or cut off half-way: the memory
// does not grow, and no descriptor stays open.
// long: address thread
const { Readable, Writable, PassThrough, pipeline, finished } = require('stream');
const fs = require('fs');

const small = Buffer.alloc(100, 'x');
const turn = () => new Promise((resolve) => setImmediate(resolve));
const ways = [
    () => { // destroyed with chunks on both sides
        const stream = new PassThrough();
        stream.write(small);
        stream.write(small, () => {});
        stream.on('data', () => {}).on('error', () => {});
        stream.destroy(new Error('half-way'));
    },
    () => { // abandoned
        const stream = new PassThrough({ highWaterMark: 10 });
        stream.write(small);
        stream.write(small);
        stream.once('readable', () => {});
    },
    () => { // piped, and the target goes
        const highWaterMark = 100;
        const source = new Readable({ highWaterMark, read() { this.push(small); } });
        const target = new Writable({ highWaterMark, write(chunk, encoding, done) { setImmediate(done); } });
        pipeline(source, new PassThrough({ highWaterMark }), target, () => {});
        setImmediate(() => target.destroy());
    },
    () => { // piped, and the source goes
        const source = new Readable({ read() {} });
        source.on('error', () => {}).pipe(new PassThrough()).resume();
        source.push(small);
        source.destroy(new Error('source'));
    },
    async () => { // iterated
        const source = Readable.from([1, 2, 3]);
        for await (const value of source)
            if (value === 2)
                break;
    },
    () => { // aborted
        const controller = new AbortController();
        const stream = new Readable({ read() {}, signal: controller.signal });
        finished(stream, () => {});
        stream.on('error', () => {});
        controller.abort();
    },
    () => { // transformed and never read
        Readable.from([1, 2, 3]).map((x) => x).filter(() => true);
    },
];

async function run(count) {
    for (let i = 0; i < count; i++) {
        ways[i % ways.length]();
        if (i % 100 === 99)
            await turn();
    }
    for (let i = 0; i < 10; i++)
        await turn();
    gc();
    return process.memoryUsage();
}

// The engine collects cycles when enough was allocated.
function gc() {
    let list = [];
    for (let i = 0; i < 200000; i++)
        list.push({ i });
    list = null;
}

async function files(count) {
    for (let i = 0; i < count; i++) {
        const stream = fs.createReadStream(__filename, { highWaterMark: 64 });
        if (i % 2)
            stream.once('data', () => stream.destroy());
        else
            stream.destroy();
        await new Promise((resolve) => stream.on('close', resolve));
    }
    return fs.readdirSync('/proc/self/fd').length;
}

(async () => {
    await run(5000);
    const before = await run(5000);
    const after = await run(20000);
    const grown = after.heapUsed - before.heapUsed;
    console.log(grown < 2e6 || `${before.heapUsed} -> ${after.heapUsed}`);
    const open = await files(10);
    console.log(await files(1000) <= open);
})();
