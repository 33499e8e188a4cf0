// fs.createWriteStream: order, positions, flags, flush, events, the end.
const fs = require('fs');
const { WriteStream } = fs;
const dir = fs.mkdtempSync('/tmp/weir-fs-');
const name = `${dir}/file`;
const { log } = console;
function events(label, stream) {
    return new Promise((resolve) => {
        for (const event of ['open', 'ready', 'finish', 'error', 'close'])
            stream.on(event, (value) => {
                log(label, event, event === 'open' ? typeof value : value?.code ?? '', stream.pending);
                if (event === 'close')
                    resolve();
            });
    });
}
const read = () => fs.readFileSync(name, 'latin1');

(async () => {
    log(fs.WriteStream === fs.FileWriteStream, Object.keys(WriteStream.prototype).sort().join(' '));
    let stream = fs.createWriteStream(name);
    log(stream instanceof WriteStream, stream.path === name, stream.fd, stream.flags, stream.mode, stream.pos, stream.start, stream.bytesWritten, stream.autoClose, stream.pending, stream.writableHighWaterMark, stream.flush);
    log(stream.write('one '), stream.write(Buffer.from('two ')), stream.write('f4', 'hex'), stream.write(new Uint8Array([33])));
    stream.end(' end', () => log('ended', stream.bytesWritten));
    await events('a', stream);
    log(JSON.stringify(read()), stream.bytesWritten);

    for (const [options, text] of [[{ flags: 'a' }, 'more'], [{ flags: 'r+', start: 1 }, 'XYZ'], [{ encoding: 'hex', flags: 'a' }, '4142'], ['latin1', 'é'], [{ flush: true }, 'flushed'], [{ mode: 0o600, flags: 'w' }, 'mode']]) {
        stream = fs.createWriteStream(name, options);
        await new Promise((resolve) => stream.end(text, resolve));
        log(options, JSON.stringify(read()));
    }
    // much, in small and in large pieces, with back-pressure
    stream = fs.createWriteStream(name);
    let drains = 0, expected = 0;
    stream.on('drain', () => drains++);
    for (let i = 0; i < 3000; i++) {
        const piece = `${i},`.repeat(1 + i % 20);
        expected += piece.length;
        if (!stream.write(piece))
            await new Promise((resolve) => stream.once('drain', resolve));
    }
    stream.write(Buffer.alloc(3_000_000, 'x'));
    stream.end();
    await new Promise((resolve) => stream.on('close', resolve));
    log(drains > 0, stream.bytesWritten === expected + 3_000_000, fs.statSync(name).size === stream.bytesWritten);

    await events('missing', fs.createWriteStream(`${dir}/no/file`));
    await events('exists', fs.createWriteStream(name, { flags: 'wx' }));
    let fd = fs.openSync(name, 'w');
    stream = fs.createWriteStream('', { fd, autoClose: false });
    stream.end('by descriptor');
    await new Promise((resolve) => stream.on('finish', resolve));
    await new Promise(setImmediate);
    log(stream.destroyed, fs.fstatSync(fd).size, read());
    stream = fs.createWriteStream('', { fd, autoClose: false });
    stream.close(() => log('closed'));
    await events('close without autoClose', stream);
    stream = fs.createWriteStream(name);
    stream.write('x');
    stream.destroy();
    await events('destroyed', stream);
    stream = fs.createWriteStream(name);
    stream.close();
    await events('closed at once', stream);
    stream.close(() => log('closed again'));
    stream = fs.createWriteStream(name, { signal: AbortSignal.abort() });
    // Its file is opened all the same, by another thread, after it was closed.
    const ready = new Promise((resolve) => stream.on('ready', resolve));
    await events('aborted', stream);
    await ready;
    stream = fs.createWriteStream(name);
    stream.end();
    stream.write('late', (error) => log(error.code));
    await events('late', stream);

    const calls = [];
    stream = fs.createWriteStream('/any/name', { flags: 'x', fs: {
        open(path, flags, mode, done) { calls.push(`open ${path} ${flags}`); setImmediate(done, null, 99); },
        write(fd, buffer, offset, length, position, done) { calls.push(`write ${buffer} ${offset} ${length}`); setImmediate(done, null, Math.min(length, 2), buffer); },
        close(fd, done) { calls.push(`close ${fd}`); setImmediate(done, null); },
    } });
    stream.write('abc');
    stream.write('de');
    stream.end('f');
    await new Promise((resolve) => stream.on('close', resolve));
    log(calls);
    const lists = [];
    stream = fs.createWriteStream('/any/name', { start: 7, fs: {
        open(path, flags, mode, done) { setImmediate(done, null, 99); },
        writev(fd, buffers, position, done) { lists.push(`${buffers.map(String)} ${position}`); setImmediate(done, null, Buffer.concat(buffers).length, buffers); },
        close(fd, done) { setImmediate(done, null); },
    } });
    stream.write('abc');
    stream.write('de');
    stream.end('f');
    await new Promise((resolve) => stream.on('close', resolve));
    log(lists);

    for (const args of [[5], [name, 5], [name, { encoding: 'x' }], [name, { start: 'x' }], [name, { start: -1 }], [name, { fd: 'x' }], [name, { fs: {} }], [name, { fs: { open() {}, close() {} } }], [name, { fs: { open() {}, close() {}, write: 5 } }], [name, { flush: 5 }], [name, { flush: true, fs: { open() {}, close() {}, write() {} } }]])
        try {
            fs.createWriteStream(...args).on('error', () => {}).destroy();
            log('nothing thrown');
        } catch (error) {
            log(error.name, error.code, error.message);
        }
    fs.rmSync(dir, { recursive: true });
})();
