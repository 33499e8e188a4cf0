// Errors of fs: message, code, and what they are about, in all three forms.
const fs = require('fs');
const show = (error) => console.log(`${error.name} ${error.code}: ${error.message}`.replaceAll(process.cwd(), '.'),
    error.errno, error.syscall, error.path?.replace(process.cwd(), '.'), error.dest);
const failing = [
    ['readFile', 'nope'], ['readFile', '/'], ['readFile', 'fs-errors.js/x'], ['open', 'nope'], ['open', 'fs-errors.js', 'wx'], ['open', '/', 'w'],
    ['readdir', 'nope'], ['readdir', 'fs-errors.js'], ['readdir', 'nope', { recursive: true }],
    ['stat', 'nope'], ['stat', 'x'.repeat(300)], ['lstat', 'nope'], ['fstat', 999], ['access', 'nope'],
    ['mkdir', '/'], ['mkdir', 'nope/nope'], ['mkdir', 'fs-errors.js', { recursive: true }], ['mkdir', 'fs-errors.js/x/y', { recursive: true }],
    ['mkdtemp', '/nope/x'], ['rm', 'nope'], ['rm', '/tmp'], ['rmdir', 'nope'], ['rmdir', 'fs-errors.js'], ['rmdir', '.'], ['unlink', 'nope'], ['unlink', '/'],
    ['rename', 'nope', 'nope2'], ['link', 'nope', 'nope2'], ['symlink', 'x', '/'], ['copyFile', 'nope', 'nope2'],
    ['copyFile', 'fs-errors.js', 'fs-files.js', 1], ['copyFile', '/', 'nope2'],
    ['readlink', 'fs-errors.js'], ['chmod', 'nope', 0], ['chown', 'nope', 0, 0], ['lchown', 'nope', 0, 0],
    ['utimes', 'nope', 0, 0], ['lutimes', 'nope', 0, 0], ['truncate', 'nope'], ['truncate', '/'],
    ['writeFile', '/nope/x', ''], ['writeFile', '/', ''], ['appendFile', '/nope/x', ''],
    ['close', 999], ['read', 999, new Uint8Array(1)], ['fsync', 999], ['fdatasync', 999], ['ftruncate', 999],
    ['futimes', 999, 0, 0], ['fchmod', 999, 0], ['fchown', 999, 0, 0], ['readFile', 999],
];
const bad = [
    ['readFile'], ['readFile', {}], ['readFile', null], ['readFile', 'a\0b'], ['readFile', new Uint8Array([97, 0])], ['readFile', -1], ['readFile', 1.5],
    ['open', 'x', 'zz'], ['open', 'x', 'rx'], ['open', 'x', {}], ['open', 'x', 'r', '9'], ['open', 'x', 'r', -1], ['open', 'x', 'r', {}], ['open', 'x', 'r', 2 ** 32],
    ['readFile', 'x', 'nope'], ['readFile', 'x', 5], ['readFile', 'x', { flag: 'zz' }], ['readFile', 'x', { signal: 1 }], ['readFile', 'x', { encoding: 'nope' }],
    ['close'], ['close', 'a'], ['close', -1], ['close', 1.5], ['close', 2 ** 31],
    ['writeFile', 'x'], ['writeFile', 'x', {}], ['writeFile', 'x', 5], ['writeFile', 'x', '', { mode: 'z' }],
    ['access', 'x', 9], ['access', 'x', 'a'], ['mkdir', 'x', { recursive: 1 }], ['mkdir', 'x', { mode: {} }],
    ['rm', 'x', { force: 1 }], ['rm', 'x', { recursive: 'yes' }], ['rm', 'x', { maxRetries: -1 }],
    ['utimes', 'x', 'a', 0], ['utimes', 'x', {}, 0], ['symlink', 'x'], ['copyFile', 'x', 'y', 99], ['copyFile', 'x'], ['copyFile'],
    ['rename', 'x'], ['rename'], ['link'], ['mkdtemp'], ['readdir', '.', { encoding: 'x' }],
    ['chmod', 'x'], ['chmod', 'x', -1], ['chown', 'x', 'a'], ['chown', 'x', -2, 0],
    ['read', 0, 'x'], ['read', 0, new Uint8Array(1), { offset: 2 }], ['read', 0, new Uint8Array(1), 0, 5], ['read', 0, new Uint8Array(1), -1, 1], ['read', 0, new Uint8Array(1), 0, 1, 'a'],
    ['write', 1, {}], ['write', 1, new Uint8Array(1), 2], ['ftruncate', 999, 'x'], ['ftruncate', 999, 1.5],
];
for (const [name, ...args] of [...failing, ...bad])
    try {
        console.log('not thrown', name, fs[`${name}Sync`](...args));
    } catch (error) {
        show(error);
    }
async function main() {
    console.log('-- callbacks');
    for (const [name, ...args] of failing.filter(([name, path, options]) =>
        !options?.recursive && name !== 'mkdtemp' && path !== 999)) // Node's are odd
        await new Promise((resolve) => fs[name](...args, (error) => { show(error); resolve(); }));
    for (const [name, ...args] of [['readFile', 'x'], ['stat', 'x'], ['readFile', 'x', 'utf8'], ['exists', 'x'], ['mkdir', 'x', {}], ['open', 'x', 'r']])
        try { fs[name](...args); } catch (error) { show(error); }
    for (const [name, ...args] of bad.slice(0, 20))
        if (args.length > 0 && args[0] !== -1)
            try { fs[name](...args, () => {}); } catch (error) { show(error); }
    console.log('-- promises');
    for (const [name, ...args] of [...failing, ...bad])
        if (name in fs.promises && name !== 'open' && args[0] !== '/nope/x')
            await fs.promises[name](...args).then(() => console.log('fulfilled'), show);
    await fs.promises.open('nope').catch(show);
    await fs.promises.open('x', 'zz').catch(show);
    console.log(await fs.promises.readFile('nope').catch((error) => Object.keys(error)));
    console.log(fs.existsSync(), fs.existsSync('a\0'), fs.existsSync('.'), fs.statSync('nope', { throwIfNoEntry: false }));
    for (const path of ['nope', 'nope/x', 'fs-errors.js/x'])
        try { fs.realpathSync(path); } catch (error) { show(error); }
    try { fs.realpathSync.native('nope'); } catch (error) { show(error); }
    fs.realpath('nope/x/y', show);
}
main();
