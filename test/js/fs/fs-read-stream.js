// fs.createReadStream: pieces, ranges, encodings, events, the end.
const fs = require('fs');
const { ReadStream } = fs;
const dir = fs.mkdtempSync('/tmp/weir-fs-');
const name = `${dir}/file`;
fs.writeFileSync(name, Buffer.from(Array.from({ length: 200000 }, (_, i) => i % 251)));
fs.writeFileSync(`${dir}/text`, 'aé€😀z'.repeat(3));
fs.writeFileSync(`${dir}/empty`, '');
const log = (...args) => console.log(...args);

function events(label, stream) {
    return new Promise((resolve) => {
        for (const event of ['open', 'ready', 'end', 'error', 'close'])
            stream.on(event, (value) => {
                log(label, event, event === 'open' ? typeof value : value?.code ?? '', stream.pending);
                if (event === 'close')
                    resolve();
            });
    });
}
const sum = (chunk) => chunk.reduce((a, b) => a + b, 0);

(async () => {
    log(fs.ReadStream === fs.FileReadStream, fs.ReadStream.name, fs.createReadStream.length, Object.keys(ReadStream.prototype).sort().join(' '));
    let stream = fs.createReadStream(name);
    log(stream instanceof ReadStream, stream.path === name, stream.fd, stream.flags, stream.mode, stream.start, stream.end, stream.pos, stream.bytesRead, stream.autoClose, stream.pending, stream.readableHighWaterMark);
    const sizes = [];
    stream.on('data', (chunk) => sizes.push(chunk.length, sum(chunk)));
    await events('a', stream);
    log(sizes, stream.bytesRead, stream.fd, stream.destroyed);

    for (const options of [{ start: 5 }, { end: 9 }, { start: 3, end: 6 }, { start: 199990 }, { start: 300000 }, { start: 4, end: 4, highWaterMark: 1 }, { start: 0, end: 10, highWaterMark: 4 }]) {
        const pieces = [];
        for await (const chunk of fs.createReadStream(name, options))
            pieces.push(chunk.length < 12 ? chunk.toString('hex') : `${chunk.length}:${sum(chunk)}`);
        log(options, pieces);
    }
    for (const options of ['utf8', { encoding: 'utf8', highWaterMark: 2 }, { encoding: 'hex', highWaterMark: 5 }, { encoding: 'base64', highWaterMark: 4 }]) {
        let text = '';
        for await (const piece of fs.createReadStream(`${dir}/text`, options))
            text += piece;
        log(text);
    }
    stream = fs.createReadStream(`${dir}/empty`);
    stream.resume();
    await events('empty', stream);
    stream = new ReadStream(`${dir}/missing`);
    await events('missing', stream);
    stream = ReadStream(dir).resume();
    await events('directory', stream);

    // a descriptor, closed or not
    let fd = fs.openSync(name);
    stream = fs.createReadStream(null, { fd, end: 3 });
    log(stream.pending, stream.path);
    stream.on('data', (chunk) => log(chunk));
    await events('fd', stream);
    try {
        fs.fstatSync(fd);
        log('open');
    } catch (error) {
        log(error.code);
    }
    fd = fs.openSync(name);
    stream = fs.createReadStream('', { fd, autoClose: false, start: 1, end: 2 });
    stream.on('data', (chunk) => log(chunk));
    await new Promise((resolve) => stream.on('end', resolve));
    log(stream.destroyed, fs.fstatSync(fd).size, stream.autoClose);
    fs.closeSync(fd);

    // stopped early
    stream = fs.createReadStream(name, { highWaterMark: 10 });
    stream.once('data', () => stream.destroy());
    await events('destroyed', stream);
    stream = fs.createReadStream(name);
    stream.close((error) => log('close callback', error?.code));
    await events('closed at once', stream);
    stream = fs.createReadStream(name, { signal: AbortSignal.abort() });
    stream.on('error', (error) => log('aborted', error.code));
    await new Promise((resolve) => stream.on('close', resolve));
    const controller = new AbortController();
    stream = fs.createReadStream(name, { signal: controller.signal, highWaterMark: 100 });
    stream.on('data', () => controller.abort());
    await events('aborted later', stream);
    stream = fs.createReadStream(name, { emitClose: false, end: 0 }).resume();
    stream.on('close', () => log('never'));
    await new Promise((resolve) => stream.on('end', resolve));
    await new Promise(setImmediate);

    // functions of the program's own
    const calls = [];
    stream = fs.createReadStream('/any/name', { highWaterMark: 3, fs: {
        open(path, flags, mode, done) { calls.push(`open ${path} ${flags} ${mode}`); setImmediate(done, null, 99); },
        read(fd, buffer, offset, length, position, done) { calls.push(`read ${fd} ${offset} ${length} ${position}`); buffer.fill(65); setImmediate(done, null, calls.length < 4 ? 2 : 0, buffer); },
        close(fd, done) { calls.push(`close ${fd}`); setImmediate(done, null); },
    } });
    let all = '';
    for await (const chunk of stream)
        all += chunk;
    log(all, calls);

    for (const args of [[5], [undefined], [{}], ['a\0b'], [name, 5], [name, { encoding: 'x' }], [name, { start: 'x' }], [name, { start: -1 }], [name, { start: 5, end: 4 }], [name, { end: 'x' }], [name, { end: NaN }], [name, { fd: 'x' }], [name, { fd: -1 }], [name, { fs: {} }], [name, { fs: { open() {} } }], [name, { fs: { open() {}, read() {} } }], [name, { highWaterMark: -5 }], [name, { signal: 5 }], [name, true]])
        try {
            fs.createReadStream(...args).on('error', () => {}).destroy();
            log('nothing thrown', typeof args[1]);
        } catch (error) {
            log(error.name, error.code, error.message);
        }
    fs.rmSync(dir, { recursive: true });
})();
