// pipe and unpipe.
const { Readable, Writable, PassThrough, Stream } = require('stream');
const { log } = console;
const slow = (name, options) => new Writable({ highWaterMark: 3, write(chunk, encoding, done) {
    log(name, String(chunk));
    setImmediate(done);
}, ...options });
const tell = (name, stream) => {
    for (const event of ['pipe', 'unpipe', 'drain', 'finish', 'end', 'close', 'error', 'pause', 'resume'])
        stream.on(event, (value) => log(name, event, value?.message ?? ''));
    return stream;
};
{ // back-pressure
    const from = tell('a', Readable.from(['one', 'two', 'three', 'four'], { objectMode: false }));
    const to = tell('A', slow('A'));
    log(from.pipe(to) === to);
    log('a', from.readableFlowing, from._readableState.pipes.length);
}
{ // several targets, one leaves
    const from = tell('b', new Readable({ read() {} }));
    const one = tell('B1', slow('B1')), two = tell('B2', slow('B2'));
    from.pipe(one);
    from.pipe(two, { end: false });
    from.push('x');
    setImmediate(() => {
        from.unpipe(one);
        from.push('y');
        setImmediate(() => {
            from.unpipe();
            log('b', from.readableFlowing, from.isPaused());
            from.push(null);
            from.resume();
            setImmediate(() => log('b', one.writableEnded, two.writableEnded));
        });
    });
}
{ // the target fails
    const from = tell('c', new Readable({ read() {} }));
    const to = tell('C', new Writable({ write(chunk, encoding, done) { done(new Error('full')); } }));
    from.pipe(to);
    from.push('x');
    setImmediate(() => log('c', from.destroyed, from.readableFlowing, from._readableState.pipes.length));
}
{ // the source fails: the target stays open
    const from = tell('d', new Readable({ read() {} })), to = tell('D', new PassThrough());
    from.pipe(to);
    from.destroy(new Error('gone'));
    setImmediate(() => log('d', to.destroyed, to.writableEnded));
}
{ // to what has ended or is full
    const from = tell('e', Readable.from(['x'])), to = new PassThrough({ highWaterMark: 1 });
    to.write('y');
    log('e', to.writableNeedDrain);
    from.pipe(to);
    log('e', from.readableFlowing);
    to.on('data', (chunk) => log('E', String(chunk)));
}
{ // streams of the old kind
    const from = new Stream(), to = tell('F', new PassThrough());
    to.on('data', (chunk) => log('F', String(chunk)));
    from.pipe(to);
    from.emit('data', 'old');
    from.emit('end');
    const writer = new Stream();
    writer.writable = true;
    writer.write = (chunk) => { log('G', String(chunk)); return true; };
    writer.end = () => log('G end');
    Readable.from(['to old']).pipe(writer);
    try {
        new Stream().emit('error', new Error('unheard'));
    } catch (error) {
        log(error.message);
    }
    const failing = new Stream();
    failing.pipe(new PassThrough().on('error', (error) => log('H', error.message)));
    try {
        failing.emit('error', new Error('passed on'));
    } catch (error) {
        log('thrown', error.message);
    }
}
{ // a Writable cannot be piped
    const stream = new Writable({ write() {} });
    stream.on('error', (error) => log(error.code, error.message));
    stream.pipe(new PassThrough());
}
process.on('exit', () => log('exit'));
