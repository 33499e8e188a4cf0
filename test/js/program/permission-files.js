// weir only
// Each operation of fs, where it is granted and where it is not; and ways around
// a check: symbolic links, "..", /proc/self, hard links, renamed directories.
'use strict';
const fs = require('node:fs');
const { top, confined } = require('../support/confined.cjs');

fs.mkdirSync(`${top}/in/sub`, { recursive: true });
fs.mkdirSync(`${top}/out`);
fs.mkdirSync(`${top}/inside`); // begins like "in"
fs.writeFileSync(`${top}/in/file`, 'granted');
fs.writeFileSync(`${top}/in/second`, 'granted');
fs.writeFileSync(`${top}/out/secret`, 'secret');
fs.writeFileSync(`${top}/inside/secret`, 'secret');
fs.symlinkSync('../out/secret', `${top}/in/link`);
fs.symlinkSync('../out', `${top}/in/directory`);
fs.symlinkSync('../out/missing', `${top}/in/dangling`);
fs.symlinkSync('file', `${top}/in/own`);

const operations = `
const fs = require('fs'), P = fs.promises;
const at = (name) => place + name;
await attempt('readFileSync', () => fs.readFileSync(at('file'), 'utf8'));
await attempt('readFile', () => new Promise((resolve, reject) =>
    fs.readFile(at('file'), 'utf8', (error, text) => error ? reject(error) : resolve(text))));
await attempt('promises.readFile', () => P.readFile(at('file'), 'utf8'));
await attempt('createReadStream', async () => {
    let text = '';
    for await (const chunk of fs.createReadStream(at('file'))) text += chunk;
    return text;
});
await attempt('open r+', () => fs.closeSync(fs.openSync(at('file'), 'r+')));
await attempt('promises.open', async () => (await P.open(at('file'))).close());
await attempt('stat', () => fs.statSync(at('file')).size);
await attempt('lstat', () => fs.lstatSync(at('file')).size);
await attempt('stat missing', () => fs.statSync(at('missing')).size);
await attempt('access', () => fs.accessSync(at('file')));
await attempt('exists', () => fs.existsSync(at('file')));
await attempt('realpath', () => fs.realpathSync(at('file')));
await attempt('readlink', () => fs.readlinkSync(at('own')));
await attempt('readdir', () => fs.readdirSync(at('')).length > 0);
await attempt('glob', () => fs.globSync('*', { cwd: at('') }).length > 0);
await attempt('promises.glob', async () => (await fs.promises.glob('**', { cwd: at('') }).next()).done);
await attempt('opendir', () => fs.opendirSync(at('')).closeSync());
await attempt('statfs', () => fs.statfsSync(at('')).bsize > 0);
await attempt('watch', () => fs.watch(at('file')).close());
await attempt('chdir', () => process.chdir(at('')));
await attempt('writeFile', () => fs.writeFileSync(at('new'), 'x'));
await attempt('appendFile', () => P.appendFile(at('new'), 'x'));
await attempt('createWriteStream', () => new Promise((resolve, reject) =>
    fs.createWriteStream(at('new')).on('error', reject).on('finish', resolve).end('x')));
await attempt('open wx', () => fs.openSync(at('new'), 'wx'));
await attempt('truncate', () => fs.truncateSync(at('new')));
await attempt('chmod', () => fs.chmodSync(at('new'), 0o600));
await attempt('utimes', () => fs.utimesSync(at('new'), 1, 1));
await attempt('lutimes', () => fs.lutimesSync(at('new'), 1, 1));
await attempt('lchown', () => fs.lchownSync(at('new'), 2 ** 32 - 1, 2 ** 32 - 1));
await attempt('copyFile', () => fs.copyFileSync(at('file'), at('copy')));
await attempt('cp', () => fs.cpSync(at('file'), at('copy')));
await attempt('link', () => fs.linkSync(at('copy'), at('hard')));
await attempt('symlink', () => fs.symlinkSync('file', at('soft')));
await attempt('rename', () => fs.renameSync(at('copy'), at('moved')));
await attempt('mkdir', () => fs.mkdirSync(at('made')));
await attempt('mkdir -p', () => fs.mkdirSync(at('made/a/b'), { recursive: true }));
await attempt('mkdtemp', () => fs.mkdtempSync(at('temp-')).slice(0, -6));
await attempt('rmdir', () => fs.rmdirSync(at('made/a/b')));
await attempt('rm -r', () => fs.rmSync(at('made'), { recursive: true }));
await attempt('unlink', () => fs.unlinkSync(at('moved')));
`;
const both = ['--allow-fs-read=TOP/in', '--allow-fs-write=TOP/in'];
confined('granted', both, `const place = top + '/in/';${operations}`);
confined('elsewhere', both, `const place = top + '/out/';${operations}`);
confined('only to read', ['--allow-fs-read=TOP/in/'], `
const fs = require('fs'), file = top + '/in/file', fd = fs.openSync(file);
await attempt('read', () => fs.readFileSync(file, 'utf8'));
await attempt('r+', () => fs.openSync(file, 'r+'));
await attempt('truncating', () => fs.openSync(file, fs.constants.O_TRUNC));
await attempt('fchmod', () => fs.fchmodSync(fd, 0o777));
await attempt('fchown', () => fs.fchownSync(fd, 0, 0));
await attempt('futimes', () => fs.futimesSync(fd, 1, 1));
await attempt('write', () => fs.writeSync(fd, 'x'));
await attempt('/proc/self/fd', () => fs.writeFileSync('/proc/self/fd/' + fd, 'x'));
await attempt('unlink', () => fs.unlinkSync(file));
await attempt('rename', () => fs.renameSync(file, file + '2'));`);
confined('only to write', ['--allow-fs-write=TOP/in/'], `
const fs = require('fs'), file = top + '/in/second';
await attempt('read', () => fs.readFileSync(file, 'utf8'));
await attempt('r+', () => fs.openSync(file, 'r+'));
await attempt('write', () => fs.writeFileSync(file, 'granted'));
await attempt('copy', () => fs.copyFileSync(file, top + '/in/copied'));
await attempt('rename', () => fs.renameSync(file, top + '/in/renamed'));`);
confined('ways around', both, `
const fs = require('fs'), inside = top + '/in/';
const read = (name, path) => attempt(name, () => fs.readFileSync(path, 'utf8'));
await read('link', inside + 'link');
await read('link to a granted file', inside + 'own');
await read('linked directory', inside + 'directory/secret');
await read('dots', inside + '../out/secret');
await read('dots behind nothing', inside + 'none/../../out/secret');
await read('slashes', inside + '/..//out///secret');
await read('relative', 'out/secret');
await read('begins alike', top + '/inside/secret');
await read('/proc/self/root', '/proc/self/root' + top + '/out/secret');
await read('/proc/self/root, granted', '/proc/self/root' + inside + 'file');
await read('/proc/self/cwd', '/proc/self/cwd/out/secret');
await read('/proc/self/environ', '/proc/self/environ');
await read('/proc/self/mem', '/proc/self/mem');
await read('/proc/thread-self', '/proc/thread-self/environ');
await read('URL', new URL('file://' + top + '/out/secret'));
await read('Buffer', Buffer.from(top + '/out/secret'));
await attempt('lstat of a link', () => fs.lstatSync(inside + 'link').isSymbolicLink());
await attempt('lstat through a slash', () => fs.lstatSync(inside + 'directory/').isDirectory());
await attempt('readlink', () => fs.readlinkSync(inside + 'link'));
await attempt('dangling, to write', () => fs.writeFileSync(inside + 'dangling', 'x'));
await attempt('dangling, to look', () => fs.statSync(inside + 'dangling'));
await attempt('hard link', () => fs.linkSync(top + '/out/secret', inside + 'stolen'));
await attempt('rename from', () => fs.renameSync(top + '/out/secret', inside + 'stolen'));
await attempt('rename to', () => fs.renameSync(inside + 'second', top + '/out/second'));
await attempt('rename through a link', () => fs.renameSync(inside + 'directory/secret', inside + 'stolen'));
await attempt('rm through a link', () => fs.rmSync(inside + 'directory/secret'));
await attempt('mkdir through a link', () => fs.mkdirSync(inside + 'directory/a/b', { recursive: true }));
await attempt('readdir -R', () => fs.readdirSync(inside, { recursive: true }).includes('directory/secret'));
await attempt('new link', () => { fs.symlinkSync('/etc/passwd', inside + 'fresh'); });
await read('through it', inside + 'fresh');
await attempt('rm -r keeps what links lead to', () => {
    fs.mkdirSync(inside + 'tree'); fs.symlinkSync(top + '/out', inside + 'tree/out');
    fs.rmSync(inside + 'tree', { recursive: true });
});
await attempt('parent', () => fs.readdirSync(inside + '..'));
await attempt('root', () => fs.readdirSync('/'));`);
confined('everything', ['--allow-fs-read=*', '--allow-fs-write=*'], `
const fs = require('fs');
await attempt('read', () => fs.readFileSync(top + '/out/secret', 'utf8'));
await attempt('environ', () => fs.readFileSync('/proc/self/environ', 'utf8').length > 0);
await attempt('mem', () => fs.openSync('/proc/self/mem', 'r+'));
await attempt('cmdline', () => fs.readFileSync('/proc/self/cmdline').length > 0);
await attempt('comm', () => fs.writeFileSync('/proc/self/comm', 'other'));`);
confined('one file, and what begins alike', ['--allow-fs-read=TOP/in/own', '--allow-fs-read=TOP/ins*'], `
const fs = require('fs');
await attempt('link', () => fs.readFileSync(top + '/in/own', 'utf8'));
await attempt('itself', () => fs.readlinkSync(top + '/in/own'));
await attempt('its target', () => fs.readFileSync(top + '/in/file', 'utf8'));
await attempt('another', () => fs.readFileSync(top + '/in/second', 'utf8'));
await attempt('alike', () => fs.readFileSync(top + '/inside/secret', 'utf8'));
await attempt('not alike', () => fs.readdirSync(top + '/in'));`);
console.log(fs.readFileSync(`${top}/out/secret`, 'utf8'), fs.readdirSync(`${top}/out`),
    fs.readFileSync(`${top}/in/file`, 'utf8'));
