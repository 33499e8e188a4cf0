// Writable: callbacks, back-pressure, corking, the end.
const { Writable } = require('stream');
const tell = (name, stream) => {
    for (const event of ['drain', 'finish', 'close', 'error', 'prefinish', 'pipe', 'unpipe'])
        stream.on(event, (value) => console.log(name, event, value?.code ?? ''));
    return stream;
};
const { log } = console;

{ // in order, one at a time
    const stream = tell('a', new Writable({ highWaterMark: 5, write(chunk, encoding, done) {
        log('a _write', String(chunk), encoding, stream.writableLength);
        setImmediate(done);
    }, final(done) { log('a _final'); setImmediate(done); } }));
    log('a', stream.write('one', () => log('a one written')), stream.writableNeedDrain);
    log('a', stream.write('two', 'latin1', (error) => log('a two written', error)), stream.writableNeedDrain, stream.writableLength);
    log('a', stream.write(Buffer.from('three')));
    stream.end('four', () => log('a ended'));
    log('a', stream.writable, stream.writableEnded, stream.writableFinished);
}
{ // synchronous
    const stream = tell('b', new Writable({ highWaterMark: 2, decodeStrings: false, write(chunk, encoding, done) {
        log('b _write', chunk, encoding);
        done();
    } }));
    for (let i = 0; i < 3; i++)
        log('b', stream.write(`${i}`.repeat(2), () => log('b written', i)), stream.writableLength);
    stream.setDefaultEncoding('hex').write('ff');
    process.nextTick(() => stream.end());
}
{ // writev and corking
    const stream = tell('c', new Writable({ writev(chunks, done) {
        log('c _writev', chunks.map(({ chunk, encoding }) => `${chunk}/${encoding}`).join(' '));
        setImmediate(done);
    } }));
    stream.cork();
    stream.cork();
    stream.write('1');
    stream.write('2');
    log('c', stream.writableCorked);
    stream.uncork();
    stream.write('3');
    stream.uncork();
    log('c', stream.writableCorked);
    stream.write('4');
    stream.write('5');
    stream.end('6');
}
{ // ended while corked
    const stream = tell('d', new Writable({ write(chunk, encoding, done) { log('d', String(chunk)); done(); } }));
    stream.cork();
    stream.write('x');
    stream.end();
}
{ // errors
    const stream = tell('e', new Writable({ write(chunk, encoding, done) { done(Object.assign(new Error('no'), { code: 'ENO' })); } }));
    log('e', stream.write('x', (error) => log('e callback', error.code)), stream.write('y', (error) => log('e callback 2', error.code)));
    log('e', stream.destroyed, stream.errored?.code);
    setImmediate(() => {
        log('e', stream.destroyed, stream.errored.code, stream.writable);
        stream.write('z', (error) => log('e callback 3', error.code));
        stream.end((error) => log('e end', error.code));
    });
}
{ // after the end
    const stream = tell('f', new Writable({ write(chunk, encoding, done) { done(); } }));
    stream.end();
    log('f', stream.write('x', (error) => log('f callback', error.code, error.message)));
    stream.end((error) => log('f end', error?.code, error?.message));
}
{ // end twice
    const stream = tell('g', new Writable({ write(chunk, encoding, done) { done(); } }));
    stream.end(() => log('g one'));
    stream.end(() => log('g two'));
    setImmediate(() => stream.end((error) => log('g three', error?.code)));
}
{ // called twice
    const stream = tell('h', new Writable({ write(chunk, encoding, done) { done(); done(); } }));
    stream.write('x');
}
{ // final fails
    const stream = tell('i', new Writable({ write(chunk, encoding, done) { done(); }, final(done) { done(new Error('final')); } }));
    stream.end((error) => log('i', error.message));
}
{ // objects
    const stream = tell('j', new Writable({ objectMode: true, highWaterMark: 2, write(value, encoding, done) { log('j', value, encoding); setImmediate(done); } }));
    log('j', [1, { a: 1 }, undefined, '', false].map((value) => stream.write(value)));
    stream.end();
}
process.on('exit', () => log('exit'));
