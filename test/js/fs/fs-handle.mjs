// FileHandle: an open file with promises; closed once, and not while it is used.
import fs, { promises as p } from 'node:fs';
import { open, readFile, writeFile } from 'fs/promises';
const dir = await p.mkdtemp('/tmp/weir-fs-');
const name = `${dir}/file`;
const bytes = (value) => [...value].join(' ');

const handle = await open(name, 'w+');
console.log(typeof handle.fd, handle.constructor.name);
console.log(await handle.write('hello world'), (await handle.write(new Uint8Array([65, 66, 67]), 1, 2, 0)).bytesWritten, (await handle.write(new Uint8Array([33]), { position: 10 })).bytesWritten);
console.log(await handle.readFile('utf8'), JSON.stringify(await handle.readFile({ encoding: 'utf8' })));
const { bytesRead, buffer } = await handle.read(new Uint8Array(5), 0, 5, 0);
console.log(bytesRead, bytes(buffer));
console.log((await handle.read({ buffer: new Uint8Array(3), position: 6 })).bytesRead, (await handle.read(new Uint8Array(4), { offset: 1, position: 0 })).bytesRead, (await handle.read()).bytesRead, (await handle.read({ position: 0 })).buffer.length);
console.log((await handle.stat()).size, typeof (await handle.stat({ bigint: true })).size);
await handle.truncate(4);
await handle.sync();
await handle.datasync();
await handle.chmod(0o600);
await handle.utimes(1, 2);
await handle.appendFile('!');
await writeFile(handle, '?');
console.log(bytes(await readFile(name)), (await p.stat(name)).mtimeMs > 0, await readFile(handle, 'utf8') === '');

// close waits for what goes on, and can be called again
handle.on('close', () => console.log('close event'));
const order = [];
const reading = handle.read(new Uint8Array(1), 0, 1, 0).then(() => order.push('read'));
const closing = handle.close().then(() => order.push('closed'));
await Promise.all([reading, closing]);
console.log(order, handle.fd, await handle.close());
for (const method of ['read', 'write', 'stat', 'truncate', 'sync', 'datasync', 'chmod', 'utimes', 'readFile', 'writeFile', 'appendFile'])
    await handle[method](method === 'read' ? new Uint8Array(1) : 'x').catch((error) => console.log(method, error.code, error.message));

// disposed
const kept = await open(name);
console.log(kept.fd >= 0, await kept[Symbol.asyncDispose](), kept.fd);
// errors of a handle
const readOnly = await open(name);
await readOnly.write('x').catch((error) => console.log(error.code, error.syscall));
await readOnly.truncate(-1).catch((error) => console.log(error.code));
await readOnly.read('x').catch((error) => console.log(error.code));
await readOnly.close();
fs.rmSync(dir, { recursive: true });
