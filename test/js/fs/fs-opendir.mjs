// fs.opendir: reading in pieces, order of operations, closing, errors.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-dir-'));
const shown = (text) => `${text}`.replaceAll(root, 'ROOT');
// Node 20's opendirSync does not name the path.
const failure = (error) => console.log(error.name, error.code, error.syscall,
    shown(error.message).replace(/, opendir.*/, ''));

for (let i = 0; i < 40; i++)
    fs.writeFileSync(path.join(root, `f${i}`), '');
fs.mkdirSync(path.join(root, 'sub', 'deep'), { recursive: true });
fs.writeFileSync(path.join(root, 'sub', 'deep', 'leaf'), '');
fs.symlinkSync('f0', path.join(root, 'link'));

// All entries, in every way.
const names = [];
for await (const entry of await fs.promises.opendir(root, { bufferSize: 2 }))
    names.push(`${entry.name}:${entry.isFile()}:${entry.isDirectory()}:${entry.isSymbolicLink()}`);
console.log(names.sort().join(' '));

const dir = fs.opendirSync(root);
console.log(dir instanceof fs.Dir, shown(dir.path), typeof dir[Symbol.asyncIterator],
    fs.Dir.prototype.entries === fs.Dir.prototype[Symbol.asyncIterator]);
let count = 0;
for (let entry; (entry = dir.readSync()) !== null; count++)
    if (entry.name === 'sub')
        console.log(entry.name, shown(entry.parentPath), entry instanceof fs.Dirent);
console.log(count, dir.readSync());
console.log(dir.closeSync());
for (const run of [() => dir.readSync(), () => dir.closeSync(), () => dir.read(() => {}),
    () => dir.read()])
    try {
        run();
    } catch (error) {
        failure(error);
    }
await dir.close().catch(failure);
await new Promise((resolve) => dir.close((error) => { failure(error); resolve(); }));

// Operations under way: later ones wait, synchronous ones are refused.
const busy = await fs.promises.opendir(root);
const first = busy.read(), second = busy.read(), end = busy.close();
try {
    busy.readSync();
} catch (error) {
    failure(error);
}
console.log(typeof (await first).name, (await first).name !== (await second).name, await end);

// Callbacks.
await new Promise((resolve) => fs.opendir(root, (error, opened) => {
    console.log(error, opened.constructor.name);
    opened.read((failed, entry) => {
        console.log(failed, typeof entry.name);
        opened.close((last) => { console.log(last); resolve(); });
    });
}));
await new Promise((resolve) => fs.opendir(path.join(root, 'no'), (error) => {
    failure(error);
    resolve();
}));

// Below it, and with names as bytes.
const all = [];
for await (const entry of fs.opendirSync(path.join(root, 'sub'), { recursive: true }))
    all.push(shown(path.join(entry.parentPath, entry.name)));
console.log(all.sort());
const raw = fs.opendirSync(path.join(root, 'sub'), { encoding: 'buffer' });
console.log(raw.readSync().name, raw.readSync());
raw.closeSync();

// Callbacks come in order, and one that throws does not keep the others from coming.
await new Promise((resolve) => {
    process.once('uncaughtException', (error) => console.log(error.message));
    const queued = fs.opendirSync(root), order = [];
    queued.read(() => order.push(1));
    queued.read(() => {
        order.push(2);
        throw new Error('thrown');
    });
    queued.read(() => order.push(3));
    queued.close(() => resolve(console.log(order.join())));
});

// Breaking out of a loop closes it.
const left = await fs.promises.opendir(root);
for await (const entry of left)
    break;
await left.close().catch(failure);

for (const [where, options] of [[path.join(root, 'no')], [path.join(root, 'f0')], [1],
    [root, { bufferSize: 0 }], [root, { bufferSize: 'x' }], [root, { encoding: 'x' }]])
    try {
        fs.opendirSync(where, options);
    } catch (error) {
        failure(error);
    }

const space = fs.statfsSync(root), large = await fs.promises.statfs(root, { bigint: true });
console.log(space.constructor.name, Object.keys(space).join(), space.bsize > 0,
    large.type === BigInt(space.type));
fs.statfs(path.join(root, 'no'), (error) => {
    failure(error);
    fs.rmSync(root, { recursive: true });
});
console.log(fs.lchmod, 'lchmod' in fs);
await fs.promises.lchmod(root, 0o777).catch(failure);
