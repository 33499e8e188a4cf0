// Files, in the three forms: read, written, appended, copied, cut, renamed.
const fs = require('fs'), path = require('path');
const dir = fs.mkdtempSync('/tmp/weir-fs-');
process.on('exit', () => fs.rmSync(dir, { recursive: true }));
const at = (name) => path.join(dir, name);
const text = (name) => fs.readFileSync(at(name), 'utf8');
const bytes = (value) => [...value].join(' ');
const p = fs.promises;

// sync
fs.writeFileSync(at('a'), 'one\n');
fs.appendFileSync(at('a'), 'two\n');
fs.writeFileSync(at('a'), 'three h\u00e9 \u{1f30a} \ud800!\n', { flag: 'a' });
console.log(JSON.stringify(text('a')), bytes(fs.readFileSync(at('a'))));
fs.writeFileSync(at('b'), new Uint8Array([0, 1, 254, 255]), { mode: 0o640 });
console.log(bytes(fs.readFileSync(at('b'))), (fs.statSync(at('b')).mode & 0o777).toString(8));
fs.writeFileSync(at('b'), new Uint16Array([0x4142, 0x4344]).subarray(1));
fs.appendFileSync(at('b'), new DataView(new Uint8Array([97, 98, 99]).buffer, 1));
console.log(text('b'), fs.readFileSync(at('b'), { encoding: 'utf-8' }), fs.readFileSync(at('b'), 'UTF8'));
console.log(fs.readFileSync('/dev/null', 'utf8') === '', fs.readFileSync('/proc/self/comm', 'utf8').length > 0);

// descriptors: positions, parts, ends
const fd = fs.openSync(at('c'), 'w+');
console.log(fs.writeSync(fd, 'hello world'), fs.writeSync(fd, new Uint8Array([65, 66, 67]), 1, 1), fs.writeSync(fd, 'X', 0), fs.writeSync(fd, new Uint8Array([33]), { position: 4 }));
const view = new Uint8Array(8);
console.log(fs.readSync(fd, view, 0, 5, 0), bytes(view), fs.readSync(fd, view, { offset: 6, position: 0 }), bytes(view), fs.readSync(fd, view, 0, 8, 100), fs.readSync(fd, view, 0, 0, 0), fs.readSync(fd, new DataView(view.buffer, 2, 3), 0, 3, 6n), bytes(view));
fs.ftruncateSync(fd, 3);
fs.fsyncSync(fd);
fs.fdatasyncSync(fd);
fs.fchmodSync(fd, 0o600);
fs.futimesSync(fd, 1, new Date(2500));
console.log(text('c'), fs.fstatSync(fd).size, fs.fstatSync(fd).mtimeMs, (fs.fstatSync(fd).mode & 0o777).toString(8));
fs.writeFileSync(fd, 'from here', 'utf8');
fs.closeSync(fd);
console.log(text('c').length);
fs.truncateSync(at('c'), 5);
fs.truncateSync(at('b'));
console.log(fs.statSync(at('c')).size, fs.statSync(at('b')).size);

// names
fs.copyFileSync(at('a'), at('d'));
fs.renameSync(at('d'), at('e'));
fs.linkSync(at('e'), at('f'));
fs.symlinkSync('e', at('g'));
console.log(text('e') === text('a'), fs.statSync(at('f')).nlink, fs.readlinkSync(at('g')), fs.lstatSync(at('g')).isSymbolicLink(), fs.statSync(at('g')).isSymbolicLink());
console.log(fs.realpathSync(at('g')) === at('e'), fs.realpathSync.native(at('../' + path.basename(dir) + '/g')) === at('e'));
fs.utimesSync(at('e'), '10', 20.25);
fs.lutimesSync(at('g'), 30, 40);
console.log(fs.statSync(at('e')).atimeMs, fs.statSync(at('e')).mtimeMs, fs.lstatSync(at('g')).mtimeMs);
fs.copyFileSync(at('a'), at('a'));
console.log(text('a').length > 0);
fs.unlinkSync(at('f'));
fs.chmodSync(at('e'), '444');
console.log(fs.existsSync(at('f')), (fs.statSync(at('e')).mode & 0o777).toString(8));
fs.accessSync(at('e'), fs.constants.R_OK);

// callbacks, one after the other
const steps = [
    (next) => fs.writeFile(at('h'), 'callback', next),
    (next) => fs.appendFile(at('h'), ' more', { encoding: 'utf8' }, next),
    (next) => fs.readFile(at('h'), 'utf8', (error, data) => { console.log(error, data); next(); }),
    (next) => fs.readFile(at('h'), (error, data) => { console.log(data.length, data instanceof Uint8Array); next(); }),
    (next) => fs.stat(at('h'), (error, stats) => { console.log(error, stats.size, stats instanceof fs.Stats); next(); }),
    (next) => fs.open(at('h'), (error, fd) => fs.read(fd, new Uint8Array(4), 1, 3, 2, (error, count, view) => {
        console.log(count, bytes(view));
        fs.read(fd, (error, count, view) => {
            console.log(count, view.length);
            fs.write(fd, 'x', (error) => { console.log(error.code); fs.close(fd, next); });
        });
    })),
    (next) => fs.open(at('i'), 'a', 0o600, (error, fd) => fs.write(fd, 'abc', null, 'utf8', (error, count, data) => {
        console.log(error, count, data);
        fs.write(fd, new Uint8Array([100, 101]), 1, 1, (error, count) => { console.log(count, text('i')); fs.close(fd, next); });
    })),
    (next) => fs.exists(at('h'), (yes) => { console.log(yes); next(); }),
    (next) => fs.access(at('h'), next),
    (next) => fs.rename(at('h'), at('j'), next),
    (next) => fs.realpath(at('j'), (error, real) => { console.log(real === at('j')); next(); }),
    (next) => fs.rm(at('j'), (error) => { console.log(error); next(); }),
    () => promises().then(() => console.log('done')),
];
(function run(error) {
    if (error)
        console.log(error);
    steps.shift()?.(run);
})();

async function promises() {
    await p.writeFile(at('k'), 'promise');
    await p.appendFile(at('k'), new Uint8Array([33]));
    console.log(await p.readFile(at('k'), 'utf8'), (await p.readFile(at('k'))).length, await p.access(at('k')));
    await p.copyFile(at('k'), at('l'), fs.constants.COPYFILE_EXCL);
    await p.truncate(at('l'), 3);
    await p.chmod(at('l'), 0o400);
    await p.utimes(at('l'), 1, 2);
    await p.symlink('l', at('m'));
    console.log(await p.readlink(at('m')), (await p.lstat(at('m'))).size, (await p.stat(at('m'))).mtimeMs, await p.realpath(at('m')) === at('l'));
    await p.link(at('l'), at('n'));
    await p.rename(at('n'), at('o'));
    await p.unlink(at('o'));
    console.log(fs.readdirSync(dir).join());
    // many at once
    await Promise.all(Array.from({ length: 200 }, (_, i) => p.writeFile(at(`many${i}`), `${i}`)));
    const all = await Promise.all(Array.from({ length: 200 }, (_, i) => p.readFile(at(`many${i}`), 'utf8')));
    console.log(all.length, all.every((value, i) => value === `${i}`));
    const big = 'x'.repeat(3e6);
    await p.writeFile(at('big'), big, { flush: true });
    console.log((await p.readFile(at('big'), 'utf8')) === big);
}
