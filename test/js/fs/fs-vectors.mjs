// readv and writev.
import fs from 'fs';
import { promisify } from 'util';
import { open } from 'fs/promises';
const dir = fs.mkdtempSync('/tmp/weir-fs-'), name = `${dir}/file`;
const { log } = console;
const fd = fs.openSync(name, 'w+');
log(fs.writevSync(fd, [Buffer.from('hello '), new Uint8Array([119, 111]), new Uint16Array([27762, 8548])]));
log(fs.writevSync(fd, [Buffer.from('J')], 0), fs.writevSync(fd, []), fs.readFileSync(name, 'utf8'));
const views = [Buffer.alloc(4), new DataView(new ArrayBuffer(3)), new Uint8Array(20)];
log(fs.readvSync(fd, views, 0), String(views[0]), Buffer.from(views[1].buffer).toString(), Buffer.from(views[2].buffer).toString('latin1', 0, 6));
await new Promise((resolve) => fs.writev(fd, [Buffer.from('!')], 11, (error, count, buffers) => { log(error, count, buffers.length); resolve(); }));
await new Promise((resolve) => fs.readv(fd, [Buffer.alloc(2)], 10, (error, count, buffers) => { log(error, count, String(buffers[0])); resolve(); }));
log(await promisify(fs.readv)(fd, [Buffer.alloc(1)], 0), await promisify(fs.writev)(fd, [Buffer.from('K')], 0));
fs.closeSync(fd);
const handle = await open(name, 'r+');
log((await handle.readv([Buffer.alloc(3)])).bytesRead, (await handle.writev([Buffer.from('xy'), Buffer.from('z')], 0)).bytesWritten, await handle.writev([]));
await handle.close();
log(fs.readFileSync(name, 'utf8'));
for (const call of [() => fs.writevSync(0, 5), () => fs.writevSync(0, [5]), () => fs.readvSync(0, {}), () => fs.readvSync('x', []), () => fs.writev(0, [], 0), () => fs.readvSync(999, [Buffer.alloc(1)])])
    try {
        call();
        log('nothing thrown');
    } catch (error) {
        log(error.name, error.code, error.message);
    }
fs.rmSync(dir, { recursive: true });
