// AsyncLocalStorage through streams.
const { AsyncLocalStorage } = require('async_hooks');
const { Readable, Writable, PassThrough, pipeline, finished } = require('stream');
const fs = require('fs');
const storage = new AsyncLocalStorage();
const log = (...args) => console.log(...args, storage.getStore());

storage.run('pipeline', () => pipeline(Readable.from(['a']), new PassThrough(), new Writable({ write(chunk, encoding, done) { log('write'); setImmediate(done); } }), () => log('pipeline done')));
const stream = new PassThrough();
storage.run('finished', () => finished(stream, () => log('finished')));
storage.run('data', () => stream.on('data', () => log('data')));
storage.run('end', () => stream.on('end', () => log('end')));
storage.run('write', () => { stream.write('x', () => log('written')); });
storage.run('ended', () => stream.end(() => log('ended')));
storage.run('iterate', async () => {
    for await (const value of Readable.from([1, 2]))
        log('iterate', value);
});
process.once('beforeExit', () => storage.run('file', () => {
    fs.createReadStream(__filename, { end: 3 }).on('open', () => log('open')).on('data', () => log('file data')).on('close', () => log('file close'));
}));
