// Arguments of close, symlink and truncate that are optional or of two kinds.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');

process.noDeprecation = true; // of truncate
const top = fs.mkdtempSync(path.join(os.tmpdir(), 'arguments-'));
const file = path.join(top, 'file');
const attempt = (name, run) => {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
};
fs.writeFileSync(file, 'content');

for (const bad of ['', null, undefined, {}, 1.5, -1, NaN, true]) {
    attempt('close', () => fs.close(bad, () => {}));
    attempt('closeSync', () => fs.closeSync(bad));
    attempt('fchmod', () => fs.fchmodSync(bad, 0o600));
    attempt('fchown', () => fs.fchownSync(bad, 1, 1));
}
for (const callback of [null, 5, 'x'])
    attempt('callback', () => fs.close(1, callback));
attempt('no callback', () => fs.close(fs.openSync(file)));

for (const type of ['dir', 'file', 'junction', 'x', 'dir ', '', null, undefined, 1]) {
    const link = path.join(top, `link-${type}`);
    attempt(`symlinkSync ${type}`, () => fs.symlinkSync('target', link, type));
    console.log(fs.existsSync(path.dirname(link)), fs.readdirSync(top).includes(`link-${type}`));
    attempt(`symlink ${type}`, () => fs.symlink('target', `${link}-2`, type, () => {}));
}
attempt('target', () => fs.symlinkSync(1, file, 'x'));
attempt('no callback', () => fs.symlink('target', 'link'));

const fd = fs.openSync(file, 'r+');
attempt('truncateSync', () => fs.truncateSync(fd, 4));
console.log(fs.readFileSync(file, 'utf8'));
attempt('truncateSync 1.5', () => fs.truncateSync(1.5));
attempt('truncateSync len', () => fs.truncateSync(fd, 'x'));
fs.truncate(fd, 2, (error) => {
    console.log(error, fs.readFileSync(file, 'utf8'));
    fs.closeSync(fd);
    fs.rmSync(top, { recursive: true });
});
