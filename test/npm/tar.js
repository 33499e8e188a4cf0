'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const tar = require('tar');

const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'tar-'));
const at = (...names) => path.join(cwd, ...names);

(async () => {
    fs.mkdirSync(at('from', 'deep'), { recursive: true });
    fs.writeFileSync(at('from', 'a.txt'), 'a'.repeat(5000));
    fs.writeFileSync(at('from', 'deep', `${'long'.repeat(40)}.txt`), 'long name', { mode: 0o640 });
    fs.symlinkSync('a.txt', at('from', 'link'));
    fs.linkSync(at('from', 'a.txt'), at('from', 'z.txt'));
    for (const gzip of [false, true]) {
        const file = at(`all.${gzip ? 'tgz' : 'tar'}`);
        await tar.create({ gzip, file, cwd, portable: true, mtime: new Date(0) }, ['from']);
        await tar.list({ file, onReadEntry: ({ path: name, type, size, linkpath, mode }) =>
            console.log(type, name.length > 50 ? name.length : name, size, linkpath,
                mode.toString(8)) });
        console.log(execFileSync('tar', ['tf', file], { encoding: 'utf8' }).split('\n').length);
        const to = at(gzip ? 'one' : 'two');
        fs.mkdirSync(to);
        await tar.extract({ file, cwd: to, strip: 1, filter: (name) => !name.endsWith('z.txt') });
        console.log(fs.readdirSync(to, { recursive: true }).map((name) => name.length > 50
            ? name.length : name).sort(), fs.readlinkSync(path.join(to, 'link')),
            fs.readFileSync(path.join(to, 'a.txt'), 'utf8').length);
    }
    tar.create({ sync: true, file: at('sync.tar'), cwd }, ['from/a.txt']);
    tar.update({ sync: true, file: at('sync.tar'), cwd }, ['from/link']);
    const names = [];
    tar.list({ sync: true, file: at('sync.tar'), onReadEntry: (entry) => names.push(entry.path) });
    console.log(names);
    const evil = new tar.Pack({ cwd, portable: true });
    evil.end();
    console.log((await evil.concat()).length);
    fs.writeFileSync(at('bad.tar'), Buffer.alloc(1024, 'x'));
    await tar.list({ file: at('bad.tar'), strict: true }).catch((error) =>
        console.log(error.code, error.message));
    fs.rmSync(cwd, { recursive: true });
})();
