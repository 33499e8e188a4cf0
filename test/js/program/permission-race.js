// weir only
// A program that replaces a directory by a symbolic link, again and again on
// another thread, never reads, writes or removes what is behind the link.
'use strict';
const fs = require('node:fs');
const { top, confined } = require('../support/confined.cjs');

fs.mkdirSync(`${top}/in/real`, { recursive: true });
fs.mkdirSync(`${top}/out`);
fs.writeFileSync(`${top}/in/real/file`, 'granted');
fs.writeFileSync(`${top}/out/file`, 'secret');
fs.symlinkSync('../out', `${top}/in/link`);

confined('race', ['--allow-fs-read=TOP/in', '--allow-fs-write=TOP/in', '--allow-worker'], `
const fs = require('fs'), { Worker } = require('worker_threads'), at = top + '/in/';
const stop = new Int32Array(new SharedArrayBuffer(4));
const worker = new Worker(\`
    const fs = require('fs'), { at, stop } = require('worker_threads').workerData;
    while (Atomics.load(stop, 0) === 0) {
        fs.renameSync(at + 'real', at + 'turn'); fs.renameSync(at + 'turn', at + 'real');
        fs.renameSync(at + 'link', at + 'turn'); fs.renameSync(at + 'turn', at + 'link');
    }\`, { eval: true, workerData: { at, stop } });
const seen = new Set();
const look = (run) => { try { return run(); } catch (error) { seen.add(error.code); return undefined; } };
let secrets = 0;
for (let i = 0; i < 300; i++) {
    const text = look(() => fs.readFileSync(at + 'turn/file', 'utf8'));
    secrets += text === 'secret';
    look(() => fs.writeFileSync(at + 'turn/made', 'x'));
    look(() => fs.rmSync(at + 'turn/made'));
    look(() => fs.mkdirSync(at + 'turn/a'));
    look(() => fs.rmSync(at + 'turn/a', { recursive: true }));
}
Atomics.store(stop, 0, 1);
await new Promise((resolve) => worker.on('exit', resolve));
say('secrets', secrets);
say('unexpected', [...seen].filter((one) =>
    !['ENOENT', 'ERR_ACCESS_DENIED', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY'].includes(one)));
`);
console.log(fs.readdirSync(`${top}/out`), fs.readFileSync(`${top}/out/file`, 'utf8'));
