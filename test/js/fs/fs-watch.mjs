// fs.watch: events of files and directories, closing, signals, errors.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AsyncLocalStorage } from 'node:async_hooks';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-watch-'));
const at = (...names) => path.join(root, ...names);
const shown = (text) => `${text}`.replaceAll(root, 'ROOT');

// The events of a watcher, up to that of the file `end`, which is made last.
async function events(where, options, change, end = at('end')) {
    const seen = [];
    const watcher = fs.watch(where, options);
    const done = new Promise((resolve) => watcher.on('change', (type, name) => {
        seen.push(`${type} ${name}`);
        if (`${name}` === 'end' && type === 'rename')
            resolve();
    }));
    change();
    fs.writeFileSync(end, '');
    await done;
    const closed = new Promise((resolve) => watcher.on('close', resolve));
    watcher.close();
    watcher.close();
    await closed;
    fs.rmSync(end);
    return seen;
}

fs.mkdirSync(at('sub'));
console.log(await events(root, {}, () => {
    fs.writeFileSync(at('a'), 'A');
    fs.chmodSync(at('a'), 0o600);
    fs.appendFileSync(at('a'), 'B');
    fs.renameSync(at('a'), at('b'));
    fs.mkdirSync(at('dir'));
    fs.rmdirSync(at('dir'));
    fs.writeFileSync(at('sub', 'unseen'), '');
    fs.unlinkSync(at('b'));
}));

// A file: its changes, its end.
fs.writeFileSync(at('file'), '');
const file = fs.watch(at('file'), { encoding: 'buffer' });
const ofFile = [];
const gone = new Promise((resolve) => file.on('change', (type, name) => {
    ofFile.push(`${type} ${name} ${Buffer.isBuffer(name)}`);
    if (type === 'rename')
        resolve();
}));
fs.appendFileSync(at('file'), 'x');
fs.unlinkSync(at('file'));
await gone;
file.close();
console.log(ofFile);

// Two watchers of one directory; closing one leaves the other.
const one = fs.watch(root), two = fs.watch(root, 'utf8');
one.on('change', () => console.log('never'));
one.close();
const first = new Promise((resolve) => two.once('change', (...args) => resolve(args)));
fs.writeFileSync(at('x'), '');
console.log(await first);
two.close();

// The async context is that of the call.
const store = new AsyncLocalStorage();
const told = store.run(1, () => {
    const watcher = fs.watch(root, () => {});
    return new Promise((resolve) => watcher.once('change', () => {
        watcher.close();
        resolve(store.getStore());
    }));
});
fs.writeFileSync(at('y'), '');
console.log(await told);

// Signals.
const control = new AbortController();
const aborted = fs.watch(root, { signal: control.signal });
const closed = new Promise((resolve) => aborted.on('close', resolve));
control.abort();
await closed;
const early = fs.watch(root, { signal: AbortSignal.abort() });
await new Promise((resolve) => early.on('close', resolve));
console.log('closed by signals');

// Promises.
const stop = new AbortController(), found = [];
setImmediate(() => fs.writeFileSync(at('z'), '1'));
try {
    for await (const event of fs.promises.watch(root, { signal: stop.signal })) {
        found.push(event);
        stop.abort();
    }
} catch (error) {
    console.log(error.name, error.code, found);
}
for (const options of [1, { persistent: 1 }, { recursive: 1 },
    { signal: AbortSignal.abort() }])
    await fs.promises.watch(root, options).next().catch(
        (error) => console.log(error.name, error.code, error.message));
await fs.promises.watch(at('no')).next().catch(
    (error) => console.log(error.code, error.syscall, shown(error.message)));

// Errors.
for (const args of [[at('no')], [1], [root, 1], [root, { encoding: 'x' }], [root, { signal: 1 }]])
    try {
        fs.watch(...args);
    } catch (error) {
        console.log(error.name, error.code, error.syscall, error.errno, shown(error.path),
            shown(error.filename), shown(error.message));
    }

// A watcher that does not keep the program alive.
fs.watch(root, { persistent: false });
fs.watch(root).unref();
process.on('exit', () => fs.rmSync(root, { recursive: true }));
