// What fs/promises writes piece by piece: iterables of texts and views.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { appendFile, open, readFile, writeFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';

const base = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-')), file = path.join(base, 'file');
async function* later(...pieces) {
    for (const piece of pieces) {
        await turn();
        yield piece;
    }
}
function* bad() {
    yield 'before';
    throw new Error('in the middle');
}
const show = async (name, promise) => {
    try {
        console.log(name, await promise);
    } catch (error) {
        console.log(name, error.name, error.code, error.message.replaceAll(base, '.'));
    }
    console.log(fs.existsSync(file) ? fs.readFileSync(file) : 'no file');
};
await show('array', writeFile(file, ['a', 'b\u00e9', '', Buffer.from([1, 2])]));
await show('views', writeFile(file, [new Uint16Array([1, 2]), new DataView(new ArrayBuffer(2), 1), new Uint8Array(0)]));
await show('append', appendFile(file, new Set(['c', 'd'])));
await show('generator', writeFile(file, later('x', 'y', 'z')));
await show('encoding', writeFile(file, ['ff', '00ff'], 'hex'));
await show('flag', writeFile(file, ['more'], { flag: 'a', flush: true }));
await show('exists', writeFile(file, ['no'], { flag: 'wx' }));
await show('nothing', writeFile(file, []));
await show('throws', writeFile(file, bad()));
await show('number', writeFile(file, [5]));
await show('mixed', writeFile(file, ['one', null]));
await show('missing', writeFile(path.join(base, 'no', 'file'), ['a']));
await show('aborted', writeFile(file, ['a'], { signal: AbortSignal.abort() }));
await show('no iterable', writeFile(file, {}));
const controller = new AbortController();
await show('aborts', writeFile(file, (function* () { yield 'kept'; controller.abort(); yield 'dropped'; yield 'dropped'; })(), { signal: controller.signal }));
const handle = await open(file, 'w+');
await show('handle', handle.writeFile(later('p', 'q')));
await show('handle', handle.appendFile(['r']));
await show('function', writeFile(handle, ['s']));
await handle.close();
await show('closed', handle.writeFile(['t']));
await writeFile(file, (function* () { for (let i = 0; i < 300; i++) yield `${i}\n`; })());
console.log((await readFile(file, 'utf8')).split('\n').length);
fs.rmSync(base, { recursive: true });
