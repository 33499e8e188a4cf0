// weir only: Node 20 finds directories that are made later by looking
// fs.watch with `recursive`: directories that exist, that are made, moved and removed.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-tree-'));
const at = (...names) => path.join(root, ...names);

fs.mkdirSync(at('a', 'b'), { recursive: true });
const watcher = fs.watch(root, { recursive: true });
let seen = [], wake;
watcher.on('change', (type, name) => {
    seen.push(`${type} ${name}`);
    if (name === 'end' && type === 'rename' && seen.filter((one) => one === 'rename end').length === 2)
        wake();
});

async function after(change) {
    seen = [];
    change();
    fs.writeFileSync(at('end'), '');
    fs.unlinkSync(at('end'));
    await new Promise((resolve) => { wake = resolve; });
    console.log(seen.filter((one) => !one.endsWith(' end')).sort());
}

await after(() => fs.writeFileSync(at('a', 'b', 'deep'), 'x'));
// Made at once, before anybody could look: what is inside is reported.
await after(() => {
    fs.mkdirSync(at('c', 'd'), { recursive: true });
    fs.writeFileSync(at('c', 'd', 'early'), '');
});
await after(() => fs.writeFileSync(at('c', 'd', 'late'), ''));
// Moved away and back: watched under the new name.
await after(() => fs.renameSync(at('c'), at('e')));
await after(() => fs.writeFileSync(at('e', 'd', 'moved'), ''));
await after(() => fs.rmSync(at('e'), { recursive: true }));
await after(() => {
    fs.mkdirSync(at('e'));
    fs.symlinkSync(os.tmpdir(), at('link'));
});
await after(() => fs.writeFileSync(at('e', 'again'), ''));
watcher.close();

// A listener closes it: the new directory is not watched, and the program can end.
const closing = fs.watch(root, { recursive: true });
const isClosed = new Promise((resolve) => closing.once('close', resolve));
closing.once('change', () => closing.close());
fs.mkdirSync(at('last'));
await isClosed;

const raw = fs.watch(root, { recursive: true, encoding: 'buffer' });
const name = new Promise((resolve) => raw.once('change', (_, bytes) => resolve(bytes)));
fs.writeFileSync(at('a', 'b', 'c'), '');
console.log((await name).toString());
raw.close();
fs.rmSync(root, { recursive: true });
