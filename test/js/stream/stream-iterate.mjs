// Streams as async iterables.
import { Readable, PassThrough, Duplex, Transform } from 'stream';
const { log } = console;
const counted = (most, options) => {
    let count = 0;
    return new Readable({ objectMode: true, read() { this.push(count < most ? count++ : null); }, ...options });
};
{
    const stream = counted(3);
    stream.on('close', () => log('close'));
    for await (const value of stream)
        log(value);
    log(stream.destroyed, stream.readableEnded);
}
{ // break
    const stream = counted(10);
    stream.on('close', () => log('close'));
    for await (const value of stream)
        if (value === 2)
            break;
    log(stream.destroyed, stream.readableAborted, stream.errored?.code);
}
{ // kept open
    const stream = counted(5);
    for await (const value of stream.iterator({ destroyOnReturn: false }))
        if (value === 1)
            break;
    log(stream.destroyed);
    for await (const value of stream)
        log('rest', value);
}
{ // an error on either side
    const stream = counted(5, { read() { this.destroy(new Error('in the stream')); } });
    try {
        for await (const value of stream)
            log(value);
    } catch (error) {
        log(error.message);
    }
    const other = counted(5);
    other.on('error', (error) => log('event', error.message));
    try {
        for await (const value of other)
            throw new Error(`in the loop ${value}`);
    } catch (error) {
        log(error.message);
    }
}
{ // destroyed meanwhile
    const stream = new Readable({ read() {} });
    setImmediate(() => stream.destroy());
    try {
        for await (const value of stream)
            log(value);
        log('end');
    } catch (error) {
        log(error.code);
    }
    try {
        for await (const value of stream)
            log(value);
        log('end');
    } catch (error) {
        log(error.code);
    }
}
{ // text in pieces
    const stream = new PassThrough({ encoding: 'utf8' });
    for (const byte of Buffer.from('a€b'))
        stream.write(Buffer.from([byte]));
    stream.end();
    let all = [];
    for await (const text of stream)
        all.push(text);
    log(all);
}
{ // by hand
    const iterator = counted(2)[Symbol.asyncIterator]();
    log(iterator[Symbol.asyncIterator]() === iterator);
    log(await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next()]));
    log(await iterator.return(5));
}
{ // from
    log(await Readable.from(['a', 'b']).toArray(), await Readable.from('text').toArray(), await Readable.from(Buffer.from('bytes')).toArray());
    async function* generate() {
        try {
            yield 1;
            yield 2;
        } finally {
            log('generator closed');
        }
    }
    for await (const value of Readable.from(generate()))
        if (value === 1)
            break;
    await new Promise(setImmediate);
    log(await Readable.from([Promise.resolve(1), 2]).toArray());
    await Readable.from((function* () { yield 1; throw new Error('thrown'); })()).toArray().catch((error) => log(error.message));
    await Readable.from([null]).toArray().catch((error) => log(error.code));
    for (const bad of [5, null, undefined, {}])
        try {
            Readable.from(bad);
        } catch (error) {
            log(error.code, error.message);
        }
    log(Readable.from([]).readableObjectMode, Readable.from([], { objectMode: false }).readableObjectMode, Readable.from([]).readableHighWaterMark);
}
{ // Duplex.from
    for (const source of ['text', ['x', 'y'], (async function* () { yield 'generated'; })(), Promise.resolve('promised'), Readable.from(['readable'])]) {
        const values = [];
        for await (const value of Duplex.from(source))
            values.push(String(value));
        log(values);
    }
    const duplex = Duplex.from(async function* (source) { for await (const chunk of source) yield String(chunk).toUpperCase(); });
    duplex.end('upper');
    for await (const value of duplex)
        log(value);
    const writer = Duplex.from(async (source) => { for await (const chunk of source) log('written', String(chunk)); });
    writer.end('x');
    await new Promise((resolve) => writer.on('close', resolve));
    try {
        Duplex.from(5);
    } catch (error) {
        log(error.code, error.message);
    }
}
{ // compose
    const upper = new Transform({ transform(chunk, encoding, done) { done(null, String(chunk).toUpperCase()); } });
    for await (const value of Readable.from(['a', 'b']).compose(async function* (source) { for await (const one of source) yield one + one; }).compose(upper))
        log(String(value));
}
{ // await using, as far as it can be written here
    const stream = new Readable({ read() {} });
    await stream[Symbol.asyncDispose]();
    log(stream.destroyed, stream.errored?.name);
    const ended = Readable.from([]);
    ended.resume();
    await new Promise((resolve) => ended.on('end', resolve));
    await ended[Symbol.asyncDispose]();
    log(ended.errored);
}
