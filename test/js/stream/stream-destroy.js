// destroy, errors, construction, signals: the order of events and callbacks.
const { Readable, Writable, Duplex, Transform, PassThrough, addAbortSignal, destroy } = require('stream');
const { log } = console;
const tell = (name, stream) => {
    for (const event of ['finish', 'end', 'close', 'error'])
        stream.on(event, (value) => log(name, event, value?.message ?? '', value?.code ?? ''));
    return stream;
};
{
    const stream = tell('a', new Readable({ read() {}, destroy(error, done) { log('a _destroy', error?.message); done(error); } }));
    stream.destroy(new Error('first'));
    stream.destroy(new Error('second'));
    log('a', stream.destroyed, stream.closed, stream.errored.message, stream.readable, stream.readableAborted, stream.push('x'), stream.read());
    process.nextTick(() => log('a', stream.closed));
}
{ // a destroy that changes the error, and one that takes time
    tell('b', new Writable({ destroy(error, done) { done(new Error(`${error.message} changed`)); } })).destroy(new Error('b'));
    const stream = tell('c', new Writable({ destroy(error, done) { setImmediate(done, error); } }));
    stream.destroy(new Error('c'), (error) => log('c callback', error.message));
    stream.write('x', (error) => log('c write', error.code));
}
{ // without an error
    const stream = tell('d', new PassThrough());
    stream.write('x', (error) => log('d write', error?.code));
    stream.destroy();
    log('d', stream.readableAborted, stream.writableAborted, stream.destroyed);
}
{ // emitClose, autoDestroy
    tell('e', new Readable({ emitClose: false, read() {} })).destroy();
    const stream = tell('f', new Readable({ autoDestroy: false, read() { this.push(null); } }));
    stream.resume();
    setImmediate(() => log('f', stream.destroyed));
    const failing = tell('g', new Writable({ autoDestroy: false, write(chunk, encoding, done) { done(new Error('g')); } }));
    failing.write('x');
    setImmediate(() => log('g', failing.destroyed, failing.errored.message));
}
{ // construction
    const stream = tell('h', new Writable({ construct(done) { log('h construct'); setImmediate(done); }, write(chunk, encoding, done) { log('h', String(chunk)); done(); } }));
    stream.write('x');
    stream.end();
    log('h', stream.writableLength);
    const failing = tell('i', new Readable({ construct(done) { done(new Error('i')); }, read() { log('never'); } }));
    failing.resume();
    const early = tell('j', new Duplex({ construct(done) { setImmediate(done); }, read() {}, write() {}, destroy(error, done) { log('j _destroy'); done(error); } }));
    early.destroy();
    tell('k', new Readable({ construct(done) { done(); done(); }, read() {} }));
    tell('l', new Readable({ construct() { throw new Error('thrown'); }, read() {} }));
}
{ // what _read and listeners throw
    const stream = tell('m', new Readable({ read() { throw new Error('in _read'); } }));
    stream.resume();
    const pushed = tell('n', new Readable({ read() { this.push(5); } }));
    pushed.resume();
    const late = tell('o', new Readable({ read() {} }));
    late.push(null);
    late.push('x');
    tell('p', new Readable()).resume();
    for (const Kind of [Writable, Transform])
        try {
            tell('q', new Kind()).write('x');
        } catch (error) {
            log(Kind.name, error.code, error.message);
        }
}
{ // signals
    const controller = new AbortController();
    const stream = tell('s', new Readable({ read() {}, signal: controller.signal }));
    const other = tell('t', addAbortSignal(controller.signal, new PassThrough()));
    controller.abort();
    log('s', stream.destroyed, other.destroyed, stream.errored.name);
    tell('u', new Writable({ signal: AbortSignal.abort('reason') }));
    for (const args of [[{}, new PassThrough()], [controller.signal, {}]])
        try {
            addAbortSignal(...args);
        } catch (error) {
            log(error.code, error.message);
        }
}
{ // of the module
    const stream = tell('v', new PassThrough());
    log(destroy(stream, new Error('v')) === stream, stream.destroyed);
    const other = tell('w', new PassThrough());
    destroy(other);
}
{ // rejections
    const stream = tell('x', new Readable({ captureRejections: true, read() {} }));
    stream.on('data', async () => { throw new Error('rejected'); });
    stream.push('x');
}
process.on('exit', () => log('exit'));
