// The empty path, in all three forms; realpath of anything, and over a link.
const fs = require('fs'), os = require('os'), path = require('path');
const own = (text) => text.replaceAll(process.cwd(), '.');
const shown = (error) => own(`${error.name} ${error.code}: ${error.message}`);
const more = { appendFile: ['x'], chmod: [0o644], chown: [0, 0], copyFile: ['b'], lchown: [0, 0], link: ['b'], lutimes: [0, 0], rename: ['b'],
    symlink: ['nowhere/b'], truncate: [0], utimes: [0, 0], writeFile: ['x'], mkdir: [{ recursive: true }], readdir: [{ recursive: true }], rm: [{ force: true }] };
const names = ['access', 'appendFile', 'chmod', 'chown', 'copyFile', 'lchown', 'link', 'lstat', 'lutimes', 'mkdir', 'open', 'readFile', 'readdir',
    'readlink', 'realpath', 'rename', 'rm', 'rmdir', 'stat', 'symlink', 'truncate', 'unlink', 'utimes', 'writeFile'];
const second = ['copyFile', 'link', 'rename', 'symlink'];

async function attempt(name, args) {
    try {
        console.log(`${name}Sync`, own(`${fs[`${name}Sync`](...args)}`));
    } catch (error) {
        console.log(`${name}Sync`, shown(error));
    }
    await new Promise((resolve) => {
        try {
            fs[name](...args, (error, value) => resolve(console.log(name, error ? shown(error) : own(`${value}`))));
        } catch (error) {
            resolve(console.log(name, shown(error)));
        }
    });
    await fs.promises[name](...args).then((value) => console.log('promise', own(`${value}`)), (error) => console.log('promise', shown(error)));
}

async function main() {
    for (const name of names)
        await attempt(name, ['', ...more[name] ?? []]);
    for (const name of second)
        await attempt(name, ['/nonexistent', '']);
    for (const name of ['copyFile', 'link', 'rename', 'symlink', 'readlink', 'readFile', 'stat'])
        for (const odd of [undefined, null, 5.5, {}, 'a\0b'])
            await attempt(name, [odd, 'b']);
    for (const odd of [undefined, null, 5, {}, ['/'], Buffer.from('/'), Buffer.from(''), new URL('file:///'), new URL('http://a/'), { toString: () => '/..' }, 'a\0b'])
        await attempt('realpath', [odd]);
    const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'weir-')));
    fs.mkdirSync(`${base}/a/b`, { recursive: true });
    fs.symlinkSync('a/b', `${base}/link`);
    for (const name of ['link', 'link/', 'link/..', 'link/../a', './/a/./b/', 'link/nope', 'a/../nope/x'])
        for (const call of [fs.realpathSync, fs.realpathSync.native])
            try {
                console.log(name, call(`${base}/${name}`).replace(base, 'BASE'));
            } catch (error) {
                console.log(name, error.message.replaceAll(base, 'BASE'));
            }
    fs.rmSync(base, { recursive: true });
}
main();
