import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { moveRemove, native, rimraf, rimrafSync } from 'rimraf';

const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'rimraf-'));
const fill = (name) => {
    fs.mkdirSync(path.join(cwd, name, 'deep', 'er'), { recursive: true });
    for (let at = 0; at < 30; at++)
        fs.writeFileSync(path.join(cwd, name, 'deep', `${at}.txt`), '');
    fs.symlinkSync('/etc', path.join(cwd, name, 'link'));
    return path.join(cwd, name);
};

console.log(await rimraf(fill('a')), rimrafSync(fill('b')), await native(fill('c')),
    await moveRemove(fill('d')), fs.readdirSync(cwd));
fill('e1');
fill('e2');
fill('f');
console.log(await rimraf('e*', { glob: { cwd, absolute: true } }), fs.readdirSync(cwd));
console.log(await rimraf(path.join(cwd, 'f'), { filter: (name) => !name.endsWith('7.txt') }),
    fs.readdirSync(path.join(cwd, 'f', 'deep')).sort());
console.log(await rimraf(path.join(cwd, 'none')));
await rimraf('/').catch((error) => console.log(error.message));
await rimraf(cwd);
console.log(fs.existsSync(cwd), fs.existsSync('/etc'));
