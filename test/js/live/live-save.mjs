// weir only
// weir:live: save the flight recorder.
import { save } from 'weir:live';
import fs from 'fs';
import os from 'os';
import path from 'path';

const t = async (f) => {
    try {
        console.log(await f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-live-'));
const file = path.join(directory, 'a.pftrace');
await t(async () => await save(file) === file);
const { size, mode } = fs.statSync(file);
console.log(size > 100, (mode & 0o777).toString(8));
await t(() => save(file)); // never overwrites
await t(() => save(path.join(directory, 'none', 'a.pftrace')));
await t(async () => {
    const last = await save(path.join(directory, 'b.pftrace'), { seconds: 0 });
    return fs.statSync(last).size <= size;
});
for (const args of [[5], [''], ['a\0b'], [file, 5], [file, { seconds: 'x' }],
    [file, { seconds: -1 }], [file, { seconds: NaN }]])
    await t(() => save(...args));
process.chdir(directory);
await t(async () => /^weir-\d+-js-1\.pftrace$/.test(await save()));
await t(async () => fs.existsSync(`weir-${process.pid}-js-1.pftrace`));
process.chdir('/');
fs.rmSync(directory, { recursive: true });
