// Wrong arguments: what is thrown or emitted.
const stream = require('stream');
const { Readable, Writable, Duplex, Transform, PassThrough } = stream;
const tryIt = (name, fn) => {
    try {
        const value = fn();
        console.log(name, 'gives', typeof value === 'object' && value !== null ? value.constructor.name : value);
    } catch (error) {
        console.log(name, error.name, error.code, error.message.split('\n')[0], error.toString().split('\n')[0]);
    }
};
const writable = () => new Writable({ write(chunk, encoding, done) { done(); } }).on('error', (error) => console.log('event', error.code, error.message));
const readable = () => new Readable({ read() {} }).on('error', (error) => console.log('event', error.code, error.message));
for (const value of [null, undefined, 5, {}, [], true, Symbol('s'), () => {}, new DataView(new ArrayBuffer(1)), new ArrayBuffer(1), new Uint16Array(1)]) {
    tryIt(`write ${typeof value}`, () => writable().write(value));
    tryIt(`end ${typeof value}`, () => writable().end(value));
    tryIt(`push ${typeof value}`, () => readable().push(value));
    tryIt(`unshift ${typeof value}`, () => readable().unshift(value));
}
tryIt('write null objects', () => new Writable({ objectMode: true }).write(null));
tryIt('encoding', () => writable().write('x', 'nothing'));
tryIt('encoding', () => writable().setDefaultEncoding('nothing'));
tryIt('encoding', () => writable().setDefaultEncoding({}));
tryIt('encoding', () => readable().setEncoding('nothing'));
tryIt('encoding', () => new Readable({ encoding: 'nothing' }));
tryIt('encoding', () => new Writable({ defaultEncoding: 'nothing' }));
for (const highWaterMark of [-1, 1.5, NaN, 'x', Infinity, null, 0, '5', {}])
    for (const Kind of [Readable, Writable])
        tryIt(`${Kind.name} ${String(highWaterMark)}`, () => { const one = new Kind({ highWaterMark }); return Kind === Readable ? one.readableHighWaterMark : one.writableHighWaterMark; });
tryIt('duplex', () => new Duplex({ readableHighWaterMark: -1 }));
tryIt('duplex', () => new Duplex({ writableHighWaterMark: 'x' }));
tryIt('both', () => { const one = new Duplex({ highWaterMark: 1, readableHighWaterMark: 2, writableHighWaterMark: 3 }); return `${one.readableHighWaterMark} ${one.writableHighWaterMark}`; });
for (const args of [[false], [true], [1], []])
    tryIt(`default ${args}`, () => stream.getDefaultHighWaterMark(...args));
for (const args of [[false, -1], [false, 'x'], [true, 3], [false, 1000], []])
    tryIt(`set ${args}`, () => stream.setDefaultHighWaterMark(...args));
tryIt('now', () => `${new Readable().readableHighWaterMark} ${new Readable({ objectMode: true }).readableHighWaterMark} ${new Writable().writableHighWaterMark}`);
tryIt('destroyed', () => { const one = new Readable(); one.destroyed = true; return one.destroyed; });
tryIt('read', () => readable().read('x'));
tryIt('read', () => readable().read(2 ** 31));
tryIt('iterator', () => readable().iterator(5));
tryIt('compose', () => readable().compose(5));
tryIt('compose', () => stream.compose());
tryIt('compose', () => stream.compose(5));
tryIt('compose', () => stream.compose(new PassThrough(), new Writable(), new PassThrough()));
tryIt('signal', () => new Readable({ signal: 5 }));
tryIt('from', () => Readable.from());
tryIt('new map', () => new (readable().map)(() => {}));
tryIt('new toArray', () => new (readable().toArray)());
