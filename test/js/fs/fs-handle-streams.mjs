// FileHandle.createReadStream and createWriteStream, and pipelines of files.
import fs from 'node:fs';
import { open, mkdtemp, rm } from 'fs/promises';
import { pipeline } from 'stream/promises';
import { Transform } from 'stream';
const dir = await mkdtemp('/tmp/weir-fs-');
const name = `${dir}/file`;
const { log } = console;
{
    const handle = await open(name, 'w');
    handle.on('close', () => log('handle closed'));
    const stream = handle.createWriteStream({ encoding: 'utf8' });
    log(stream.fd === handle.fd, stream.path, stream.pending);
    stream.write('hello ');
    stream.end('world');
    await new Promise((resolve) => stream.on('close', resolve));
    log(handle.fd, fs.readFileSync(name, 'utf8'));
}
{
    const handle = await open(name);
    const stream = handle.createReadStream({ start: 6, encoding: 'utf8' });
    for await (const text of stream)
        log(text);
    log(handle.fd, stream.destroyed);
    const other = await open(name);
    const kept = other.createReadStream({ autoClose: false, end: 3 });
    for await (const chunk of kept)
        log(String(chunk));
    log(other.fd === -1, kept.destroyed);
    await other.close();
}
{ // the handle is closed already
    const handle = await open(name);
    await handle.close();
    for (const method of ['createReadStream', 'createWriteStream'])
        try {
            log(handle[method]());
        } catch (error) {
            log(error.name, error.code, error.message);
        }
    await handle.close();
}
{ // the handle is closed first
    const handle = await open(name);
    const stream = handle.createReadStream();
    stream.on('close', () => log('stream closed'));
    await handle.close();
    await new Promise(setImmediate);
    log(stream.destroyed, handle.fd);
}
{
    const handle = await open(name);
    for (const options of [{ fs }, { fd: 5 }])
        try {
            const stream = handle.createReadStream(options);
            stream.destroy();
            await new Promise((resolve) => stream.on('close', resolve));
            log('made');
        } catch (error) {
            log(error.code, error.message);
        }
    await handle.close().catch(() => {});
}
fs.writeFileSync(name, Buffer.alloc(1_000_000, 'abc'));
await pipeline(fs.createReadStream(name), new Transform({ transform(chunk, encoding, done) { done(null, chunk.toString('latin1').toUpperCase()); } }), fs.createWriteStream(`${name}.copy`));
log(fs.readFileSync(`${name}.copy`).equals(Buffer.alloc(1_000_000, 'ABC')));
await pipeline(fs.createReadStream(`${dir}/missing`), fs.createWriteStream(`${dir}/never`)).catch((error) => log(error.code, error.syscall));
await pipeline(fs.createReadStream(name), fs.createWriteStream(`${dir}/no/file`)).catch((error) => log(error.code, error.syscall));
await rm(dir, { recursive: true });
