// Random streams, connected at random: the order of all that happens.  With VERBOSE in the environment it is printed.
'use strict';
const { Readable, Writable, Transform, PassThrough, Duplex, pipeline } = require('stream');
const { Random } = require('../support/random.cjs');

const COUNT = 600, TURNS = 60;
const random = new Random(77);
let log;
const note = (...words) => log.push(words.join(' '));
const show = (value) => Buffer.isBuffer(value) ? `b${value.length}` : value instanceof Uint8Array ? `u${value.length}`
    : typeof value === 'string' ? `s${value.length}` : value instanceof Error ? `${value.code ?? ''}/${value.message}` : typeof value === 'object' && value !== null
        ? `o${value.n}` : String(value);

function watch(name, stream) {
    for (const event of ['pipe', 'unpipe', 'drain', 'prefinish', 'finish', 'end', 'close', 'error', 'pause', 'resume'])
        stream.on(event, (value) => note(name, event, value instanceof Error ? show(value) : ''));
    return stream;
}

const state = (stream) => [stream.readableLength, stream.readableFlowing, stream.readableEnded, stream.writableLength, stream.writableNeedDrain,
    stream.writableFinished, stream.destroyed, stream._writableState?.pendingcb].map(String).join();

function chunkOf(objects) {
    const size = 1 + random.below(9);
    if (objects && random.happens('object', 2))
        return { n: size };
    switch (random.weigh('chunk', { buffer: 12, string: 3, bytes: 2, empty: 1 })) {
    case 'buffer': return Buffer.alloc(size, 97);
    case 'string': return 'é'.repeat(size);
    case 'bytes': return new Uint8Array(size).fill(98);
    default: return Buffer.alloc(0);
    }
}

// Call it at once, in a tick, a job, or a turn.
function soon(fn) {
    switch (random.weigh('when', { now: 6, tick: 2, job: 1, turn: 2 })) {
    case 'now': fn(); break;
    case 'tick': process.nextTick(fn); break;
    case 'job': queueMicrotask(fn); break;
    default: setImmediate(fn);
    }
}

const mark = () => random.choose('mark', [0, 1, 4, 16, 100]);

function source(objects) {
    let left = random.below(14);
    const fault = random.weigh('source', { none: 12, throw: 1, destroy: 1 });
    const stream = new Readable({ objectMode: objects, highWaterMark: mark(), read(size) {
        note('src _read', size);
        const some = 1 + random.below(3);
        soon(() => {
            for (let i = 0; i < some && left >= 0; i++, left--) {
                if (left === 3 && fault === 'destroy') {
                    stream.destroy(new Error('gone'));
                    return;
                }
                const chunk = left === 0 ? null : chunkOf(objects);
                note('src push', show(chunk), stream.push(chunk), state(stream));
            }
        });
        if (left === 2 && fault === 'throw')
            throw new Error('read');
    } });
    if (!objects && random.happens('setEncoding', 8))
        stream.setEncoding('utf8');
    return watch('src', stream);
}

function middle(objects) {
    const fault = random.weigh('middle', { none: 16, error: 1 });
    let left = 1 + random.below(6);
    return watch('mid', random.happens('passthrough', 3) ? new PassThrough({ objectMode: objects, highWaterMark: mark() }) : new Transform({
        objectMode: objects, highWaterMark: mark(),
        transform(chunk, encoding, done) {
            note('mid _transform', show(chunk), encoding);
            if (fault === 'error' && --left === 0) {
                done(new Error('transform'));
                return;
            }
            switch (random.weigh('transform', { pass: 6, drop: 1, twice: 1, pushed: 1 })) {
            case 'pass': soon(() => done(null, chunk)); break;
            case 'drop': soon(done); break;
            case 'twice': this.push(chunk); soon(() => done(null, chunk)); break;
            default: note('mid pushed', this.push(chunk)); done();
            }
        },
        flush: random.happens('flush', 3) ? (done) => soon(() => done(null, objects ? { n: 0 } : 'end')) : undefined,
    }));
}

function sink(objects) {
    const fault = random.weigh('sink', { none: 16, error: 1 });
    let left = 1 + random.below(6);
    const write = (chunk, encoding, done) => {
        note('dst _write', show(chunk), encoding);
        if (fault === 'error' && --left === 0)
            done(new Error('write'));
        else
            soon(done);
    };
    const writev = (list, done) => {
        note('dst _writev', list.map(({ chunk }) => show(chunk)));
        soon(done);
    };
    return watch('dst', new Writable({ objectMode: objects, highWaterMark: mark(), decodeStrings: !random.happens('decodeStrings', 6), write,
        writev: random.happens('writev', 4) ? writev : undefined }));
}

// Write to it by hand.
function feed(name, stream, objects) {
    let left = random.below(12);
    (function more() {
        while (left-- > 0 && !stream.destroyed) {
            const chunk = chunkOf(objects);
            const call = random.weigh('write', { plain: 6, callback: 2, encoding: 1, cork: 1 });
            const done = (error) => note(name, 'written', show(error));
            if (call === 'cork') {
                stream.cork();
                process.nextTick(() => stream.uncork());
            }
            const result = call === 'callback' ? stream.write(chunk, done) : call === 'encoding' ? stream.write(chunk, 'utf8', done) : stream.write(chunk);
            note(name, 'write', show(chunk), result, state(stream));
            if (!result && random.happens('wait', 2)) {
                stream.once('drain', more);
                return;
            }
        }
        if (random.happens('end', 2))
            stream.end(() => note(name, 'end()'));
        else
            stream.end(objects ? { n: 1 } : 'x');
    })();
}

// Read from it.
function drain(name, stream) {
    switch (random.weigh('reader', { data: 4, readable: 2, some: 1, iterate: 1, paused: 2 })) {
    case 'data':
        stream.on('data', (chunk) => note(name, 'data', show(chunk), state(stream)));
        break;
    case 'readable':
        stream.on('readable', () => {
            for (let chunk; (chunk = stream.read()) !== null;)
                note(name, 'read', show(chunk), state(stream));
        });
        break;
    case 'some': { // of strings, Node 20 returns too much
        const size = stream.readableEncoding ? undefined : 3;
        stream.on('readable', () => {
            for (let chunk; (chunk = stream.read(size)) !== null || (chunk = stream.read(0)) !== null;)
                note(name, 'read(3)', show(chunk), state(stream));
            if (stream.readableLength > 0)
                note(name, 'rest', show(stream.read()));
        });
        break;
    }
    case 'iterate':
        (async () => {
            for await (const chunk of stream)
                note(name, 'next', show(chunk));
        })().then(() => note(name, 'over'), (error) => note(name, 'over', show(error)));
        break;
    default:
        stream.on('data', (chunk) => {
            note(name, 'data', show(chunk));
            if (random.happens('pause', 3)) {
                stream.pause();
                soon(() => stream.resume());
            }
        });
    }
}

function build(objects) {
    switch (random.weigh('shape', { write: 3, read: 3, transform: 3, pipe: 3, pipes: 2, pipeline: 4, fan: 1 })) {
    case 'write': { const to = sink(objects); feed('dst', to, objects); return [to]; }
    case 'read': { const from = source(objects); drain('src', from); return [from]; }
    case 'transform': { const both = middle(objects); feed('mid', both, objects); drain('mid', both); return [both]; }
    case 'pipe': { const from = source(objects), to = sink(objects); from.pipe(to); return [from, to]; }
    case 'pipes': { const all = [source(objects), middle(objects), sink(objects)]; all[0].pipe(all[1]).pipe(all[2]); return all; }
    case 'fan': { const all = [source(objects), sink(objects), sink(objects)]; all[0].pipe(all[1]); all[0].pipe(all[2]); return all; }
    default: {
        const all = [source(objects), middle(objects), sink(objects)];
        pipeline(...all, (error) => note('pipeline', show(error)));
        return all;
    }
    }
}

function sum(text) {
    let value = 0x811c9dc5;
    for (let i = 0; i < text.length; i++)
        value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    return (value >>> 0).toString(16);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

(async () => {
    for (let i = 0; i < COUNT; i++) {
        log = [];
        const streams = build(random.happens('objectMode', 3));
        const fate = random.happens('destroyed', 12) ? 1 + random.below(4) : 0;
        for (let at = 1; at < TURNS && (at < 4 || !streams.every((one) => one.closed)); at++) {
            if (at === fate)
                random.pick(streams).destroy(random.happens('reason', 2) ? new Error('fate') : undefined);
            await turn();
            note('turn', ...streams.map(state));
        }
        for (const stream of streams)
            stream.on('error', () => {}).destroy();
        await turn();
        await turn();
        const text = log.join('\n');
        console.log(i, log.length, sum(text));
        if (process.env.VERBOSE === String(i))
            console.log(text);
    }
})();
