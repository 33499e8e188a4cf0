'use strict';
// More files at once than the process may open.
const { execFileSync } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');

if (process.argv[2] === undefined) {
    process.stdout.write(execFileSync('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh',
        process.execPath, __filename, 'limited']));
} else {
    const fs = require('graceful-fs');
    const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'graceful-'));
    const all = Array.from({ length: 300 }, (none, at) => path.join(cwd, `${at}`));
    (async () => {
        const call = (name, ...args) => new Promise((resolve, reject) => fs[name](...args,
            (error, value) => error ? reject(error) : resolve(value)));
        await Promise.all(all.map((file) => call('writeFile', file, file)));
        const texts = await Promise.all(all.map((file) => call('readFile', file, 'utf8')));
        console.log(texts.every((text, at) => text === all[at]));
        const streams = all.map((file) => new Promise((resolve, reject) => {
            fs.createReadStream(file).on('error', reject).on('end', resolve).resume();
        }));
        console.log((await Promise.all(streams)).length);
        console.log((await Promise.all(all.map((file) => call('stat', file)))).length);
        console.log((await call('readdir', cwd)).length);
        fs.rmSync(cwd, { recursive: true });
    })();
}
