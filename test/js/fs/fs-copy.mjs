// fs.cp: trees, links, options, refusals; synchronously and with promises.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import net from 'node:net';
import { execFileSync } from 'node:child_process';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-cp-'));
const at = (...names) => path.join(root, ...names);
const shown = (text) => `${text}`.replaceAll(root, 'ROOT');

function list(where, indent = '') {
    for (const entry of fs.readdirSync(where, { withFileTypes: true })) {
        const full = path.join(where, entry.name), stats = fs.lstatSync(full);
        const what = entry.isSymbolicLink() ? `-> ${shown(fs.readlinkSync(full))}`
            : entry.isFile() ? JSON.stringify(fs.readFileSync(full, 'utf8')) : '';
        console.log(`${indent}${entry.name} ${(stats.mode & 0o777).toString(8)} ${what}`);
        if (entry.isDirectory())
            list(full, `${indent}  `);
    }
}

process.umask(0o022);
execFileSync('mkfifo', [at('fifo')]); // before the pool has threads: TSan's hook for a fork forgets, in
// the memory that the child shares, what it knew of their descriptors
fs.mkdirSync(at('from', 'sub'), { recursive: true });
fs.writeFileSync(at('from', 'a'), 'A');
fs.writeFileSync(at('from', 'b'), 'B', { mode: 0o600 });
fs.writeFileSync(at('from', 'sub', 'c'), 'C', { mode: 0o444 });
fs.symlinkSync('a', at('from', 'link'));
fs.symlinkSync(at('from', 'sub'), at('from', 'dirlink'));
fs.utimesSync(at('from', 'sub', 'c'), 1000, 2000);

const ways = {
    sync: async (...args) => fs.cpSync(...args),
    promise: (...args) => fs.promises.cp(...args),
    callback: (...args) => new Promise((resolve, reject) => {
        fs.cp(...args, (error) => error ? reject(error) : resolve());
    }),
};

async function attempt(label, way, ...args) {
    try {
        console.log(label, await ways[way](...args));
    } catch (error) {
        // Node 20's cpSync has another number for "is a directory" than its cp.
        console.log(label, error.name, error.code, error.syscall,
            error.code === 'ERR_FS_EISDIR' ? '' : error.errno,
            shown(error.path ?? ''), shown(error.message));
    }
}

for (const way of Object.keys(ways)) {
    console.log(`== ${way}`);
    const to = (...names) => at(way, ...names);
    await attempt('tree', way, at('from'), to('tree'), { recursive: true });
    list(to('tree'));
    await attempt('again', way, at('from', 'a'), to('tree', 'a'));
    await attempt('keep', way, at('from', 'b'), to('tree', 'a'), { force: false });
    console.log(fs.readFileSync(to('tree', 'a'), 'utf8'));
    await attempt('exists', way, at('from', 'b'), to('tree', 'a'),
        { force: false, errorOnExist: true });
    await attempt('overwrite', way, at('from', 'b'), to('tree', 'a'));
    console.log(fs.readFileSync(to('tree', 'a'), 'utf8'));
    await attempt('verbatim', way, at('from'), to('verbatim'),
        { recursive: true, verbatimSymlinks: true });
    console.log(shown(fs.readlinkSync(to('verbatim', 'link'))));
    await attempt('dereference', way, at('from', 'link'), to('copy'), { dereference: true });
    console.log(fs.lstatSync(to('copy')).isFile());
    // A link that leads nowhere, and one to a directory above the copy.
    fs.symlinkSync('nowhere', at(`lost-${way}`));
    await attempt('lost', way, at(`lost-${way}`), to('lost'));
    fs.symlinkSync(way, at(`to-${way}`));
    await attempt('above', way, at(`to-${way}`), to('above'));
    await attempt('really above', way, at(`to-${way}`), to('above', 'x'),
        { dereference: true, recursive: true });
    console.log(['lost', 'above'].map((name) => shown(fs.readlinkSync(to(name)))));
    await attempt('times', way, at('from', 'sub'), to('times'),
        { recursive: true, preserveTimestamps: true });
    console.log(fs.statSync(to('times', 'c')).mtimeMs);
    await attempt('parents', way, at('from', 'a'), to('x', 'y', 'z'));
    await attempt('filter', way, at('from'), to('filter'), { recursive: true,
        filter: (from) => !/link|sub/.test(path.basename(from)) });
    list(to('filter'));
    await attempt('filtered', way, at('from', 'a'), to('none'), { filter: () => false });
    console.log(fs.existsSync(to('none')));
    await attempt('directory', way, at('from'), to('d'));
    await attempt('missing', way, at('no'), to('d'));
    await attempt('same', way, at('from'), at('from'), { recursive: true });
    await attempt('below', way, at('from'), at('from', 'sub', 'x'), { recursive: true });
    await attempt('directory on file', way, at('from', 'sub'), to('tree', 'a'),
        { recursive: true });
    await attempt('file on directory', way, at('from', 'a'), to('tree', 'sub'));
    await attempt('mode', way, at('from', 'a'), to('tree', 'a'), { mode: 9 });
    await attempt('option', way, at('from', 'a'), to('o'), { recursive: 1 });
    await attempt('pair', way, at('from', 'a'), to('o'),
        { dereference: true, verbatimSymlinks: true });
    await attempt('source', way, 1, to('o'));
    await attempt('destination', way, at('from', 'a'), 1);
    await attempt('no function', way, at('from', 'a'), to('o'), { filter: 1 });
}
await attempt('later', 'promise', at('from'), at('later'),
    { recursive: true, filter: async (from) => !from.endsWith('b') });
console.log(fs.existsSync(at('later', 'a')), fs.existsSync(at('later', 'b')));

const server = net.createServer().listen(at('socket'), async () => {
    for (const way of ['sync', 'promise']) {
        await attempt('fifo', way, at('fifo'), at('o'));
        await attempt('socket', way, at('socket'), at('o'));
    }
    server.close(() => fs.rmSync(root, { recursive: true }));
});
