// weir only: Node fails in other places
// A program that changes the state of a stream by hand gets exceptions or nonsense, and no crash.
'use strict';
const { Readable, Writable, Transform } = require('stream');

const values = [undefined, null, true, -1, 0, 1, 0.5, 2 ** 31 - 1, 2 ** 31, NaN, Infinity, 'text', Symbol('x'), 7n, {}, [], () => 1,
    { length: 3 }, { head: null, tail: null, length: 2 }, { head: { data: 1 }, length: 1 }, new Proxy({}, { get() { throw new Error('trap'); } })];
const names = {
    _readableState: ['state', 'length', 'flowing', 'highWaterMark', 'decoder', 'awaitDrainWriters', 'buffer'],
    _writableState: ['state', 'length', 'pendingcb', 'writelen', 'writecb', 'onwrite', 'highWaterMark'],
};
let thrown = 0, calls = 0;

function attempt(fn) {
    calls++;
    try {
        fn();
    } catch {
        thrown++;
    }
}

const kinds = [
    () => new Readable({ read() {} }),
    () => {
        let left = 5;
        return new Readable({ objectMode: true, read() { this.push(left-- > 0 ? 1 : null); } });
    },
    () => new Writable({ write(chunk, encoding, done) { done(); } }),
    () => new Writable({ objectMode: true, write(chunk, encoding, done) { setImmediate(() => attempt(done)); } }),
    () => new Transform({ transform(chunk, encoding, done) { done(null, chunk); } }),
];

function use(stream) {
    const chunk = Buffer.from('chunk');
    for (const one of [chunk, 'text', null])
        attempt(() => stream.push?.(one));
    for (const one of [undefined, 0, 3])
        attempt(() => stream.read?.(one));
    for (const one of [chunk, 'text', {}])
        attempt(() => stream.write?.(one));
    attempt(() => stream._writableState?.onwrite());
    attempt(() => stream._transform?.(chunk, 'buffer', () => {}));
    attempt(() => stream._write?.(chunk, 'buffer', () => {}));
}

// What it does later must not end the program.
process.on('uncaughtException', () => thrown++);

for (const make of kinds)
    for (const [state, fields] of Object.entries(names))
        for (const field of fields)
            for (const value of values) {
                const stream = make().on('error', () => {});
                // What is not a small number means chunks without end.
                if (stream[state] === undefined || (field === 'length' && ![-1, 0, 1].includes(value)))
                    continue;
                attempt(() => { stream[state][field] = value; });
                use(stream);
                attempt(() => stream.on('data', () => {}));
                use(stream);
            }
for (const make of kinds)
    for (const state of Object.keys(names))
        for (const value of values) {
            const stream = make().on('error', () => {});
            attempt(() => { stream[state] = value; });
            use(stream);
            attempt(() => Object.freeze(stream[state]));
            use(stream);
        }
// The functions of other objects.
const { push, read } = Readable.prototype, { write } = Writable.prototype, { _write } = Transform.prototype;
for (const value of values)
    for (const fn of [push, read, write, _write])
        attempt(() => Reflect.apply(fn, value, [Buffer.from('x'), 'utf8', () => {}]));
setImmediate(() => setImmediate(() => {
    console.log(thrown > 0, calls > thrown);
    process.exit();
}));
