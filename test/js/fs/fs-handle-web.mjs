// FileHandle.readableWebStream.
import { open, mkdtemp, rm, writeFile } from 'fs/promises';
const dir = await mkdtemp('/tmp/weir-fs-');
const name = `${dir}/file`;
await writeFile(name, Buffer.alloc(100_000, 'abc'));
const { log } = console;
for (const options of [undefined, {}, { type: 'bytes' }]) {
    const handle = await open(name);
    let size = 0, kinds = new Set();
    for await (const chunk of handle.readableWebStream(options)) {
        size += chunk.byteLength;
        kinds.add(chunk.constructor.name);
    }
    log(size, [...kinds]);
    await handle.close();
}
{ // into the reader's memory
    const handle = await open(name);
    const reader = handle.readableWebStream({ type: 'bytes' }).getReader({ mode: 'byob' });
    const { value, done } = await reader.read(new Uint8Array(5));
    log(Buffer.from(value).toString(), done);
    try {
        handle.readableWebStream();
    } catch (error) {
        log(error.name, error.code, error.message);
    }
    await reader.cancel();
    await handle.close();
    try {
        handle.readableWebStream();
    } catch (error) {
        log(error.name, error.code, error.message);
    }
}
{ // cancelled
    const handle = await open(name);
    for await (const chunk of handle.readableWebStream({ type: 'bytes' }))
        break;
    log((await handle.stat()).size);
    await handle.close();
}
{
    const handle = await open(name);
    try {
        handle.readableWebStream({ type: 5 });
    } catch (error) {
        log(error.name, error.code, error.message);
    }
    await handle.close();
}
await rm(dir, { recursive: true });
