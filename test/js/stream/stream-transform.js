// Transform, PassThrough and Duplex.
const { Transform, PassThrough, Duplex } = require('stream');
const { log } = console;
const tell = (name, stream) => {
    for (const event of ['drain', 'finish', 'prefinish', 'end', 'close', 'error'])
        stream.on(event, (value) => log(name, event, value?.message ?? ''));
    return stream;
};
{
    const stream = tell('a', new Transform({ transform(chunk, encoding, done) {
        log('a', String(chunk), encoding);
        this.push(chunk);
        done(null, '!');
    }, flush(done) { log('a flush'); done(null, 'last'); } }));
    stream.on('data', (chunk) => log('a data', String(chunk)));
    stream.write('x');
    stream.write('y', 'utf8', () => log('a written'));
    stream.end();
}
{ // asynchronous, with back-pressure
    const stream = tell('b', new Transform({ readableHighWaterMark: 2, writableHighWaterMark: 4, transform(chunk, encoding, done) {
        setImmediate(() => done(null, chunk));
    } }));
    for (let i = 0; i < 5; i++)
        log('b', stream.write(`${i}${i}`), stream.writableLength, stream.readableLength);
    stream.end();
    const later = (turns, fn) => setImmediate(() => (turns > 0 ? later(turns - 1, fn) : fn()));
    later(10, () => {
        log('b', stream.writableLength, stream.readableLength);
        stream.on('data', (chunk) => log('b data', String(chunk)));
    });
}
{ // fails
    const stream = tell('c', new Transform({ transform(chunk, encoding, done) { done(new Error('transform')); } }));
    stream.write('x', (error) => log('c', error.message));
}
{
    const stream = tell('d', new Transform({ transform(chunk, encoding, done) { done(); }, flush(done) { done(new Error('flush')); } }));
    stream.resume().end('x', (error) => log('d', error?.message));
}
{ // objects to text
    const stream = tell('e', new Transform({ writableObjectMode: true, transform: (value, encoding, done) => done(null, JSON.stringify(value)) }));
    stream.setEncoding('utf8').on('data', (text) => log('e', text));
    stream.write({ a: 1 });
    stream.end([2]);
}
{ // final and flush
    const stream = tell('f', new Transform({ transform: (chunk, encoding, done) => done(null, chunk), final(done) { log('f final'); done(); }, flush(done) { log('f flush'); done(); } }));
    stream.resume().end('x');
}
{ // two halves
    const stream = tell('g', new Duplex({ read() {}, write(chunk, encoding, done) { log('g', String(chunk)); done(); } }));
    stream.on('data', (chunk) => log('g data', String(chunk)));
    stream.write('in');
    stream.push('out');
    stream.end();
    setImmediate(() => { log('g', stream.readable, stream.writable); stream.push(null); });
}
{ // not half open
    const stream = tell('h', new Duplex({ allowHalfOpen: false, read() {}, write(chunk, encoding, done) { done(); } }));
    stream.resume().push(null);
}
{
    const stream = new PassThrough();
    stream.end('through');
    log('i', String(stream.read()), stream.read());
    stream.on('end', () => log('i end'));
}
{ // one side only
    const reader = tell('j', new Duplex({ writable: false, read() { this.push(null); } }));
    log('j', reader.writable, reader.readable);
    reader.resume();
    const writer = tell('k', new Duplex({ readable: false, write(chunk, encoding, done) { done(); } }));
    log('k', writer.writable, writer.readable);
    writer.end();
}
