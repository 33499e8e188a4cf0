// weir only
// glob, globSync and fs/promises' glob: patterns, options, exclusions, links and errors.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { promisify } = require('util');

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-glob-')), top = path.join(home, 'top');
process.on('exit', () => fs.rmSync(home, { recursive: true }));
for (const file of ['src/one.js', 'src/two.ts', 'src/.hidden.js', 'src/deep/three.js',
    'src/deep/deeper/four.js', '.git/five.js', 'docs/[six].md', 'docs/seven.md', 'docs/.secret/x.md',
    'eight.js', 'nine']) {
    fs.mkdirSync(path.join(top, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(top, file), '');
}
fs.symlinkSync('..', path.join(top, 'src/deep/up')); // a loop
fs.symlinkSync('nowhere', path.join(top, 'broken'));
fs.symlinkSync('nine', path.join(top, 'link'));

const short = (one) => typeof one === 'string' ? one.replace(top, 'TOP') : `${one.name} in ${
    path.relative(top, one.parentPath) || '.'}${one.isDirectory() ? ' directory' : ''}${
    one.isSymbolicLink() ? ' link' : ''}${one.isFile() ? ' file' : ''}`;
const show = (what, found) => console.log(what, '=>', found.map(short).sort().join(' | '));

async function ways(pattern, options) {
    const list = [];
    for await (const one of fs.promises.glob(pattern, options))
        list.push(one);
    const all = [fs.globSync(pattern, options), await promisify(fs.glob)(pattern, options), list]
        .map((found) => JSON.stringify(found));
    if (all[0] !== all[1] || all[0] !== all[2])
        console.log('these differ', all);
    return list;
}

function refused(f) {
    try {
        f();
        console.log('accepted');
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
}

async function main() {
    const cwd = top;
    for (const pattern of ['*', '*.js', '**', '**/*.js', '**/*', 'src/**', 'src/**/', 'src/*/', '*/',
        './*.js', 'src//one.js', 'src/./one.js', 'src/deep/../*.js', 'src/**/../*.md', '../*/nine',
        'src/.*', '**/.*', '.git/**', '{src,docs}/*.{js,md}', 'src/+(one|two).*', 'src/!(one).*',
        'docs/\\[six\\].md', 'docs/[[]six].md', 'docs/[a-s]*.md', 'n?ne', 'nine/', 'nine/**',
        'nine/..', 'link', 'link/*', 'broken', 'broken/*', 'b*', 'src/deep/up/*.js',
        'src/*/up/**', 'nothing', 'nothing/**', 'no*/x', '', '.', '..', '#nine', '!nine', '/none/*',
        'src/deep/**/deeper/**/four.js', '**/**/four.js', 'NINE'])
        show(pattern, await ways(pattern, { cwd }));
    show('absolute', await ways(`${top}/src/*.js`, {}));
    show('absolute, **', await ways(`${top}/src/**/*.js`, { cwd: '/' }));
    show('several', await ways(['*.js', 'n*', 'nine', '**/one.js'], { cwd }));
    show('no patterns', await ways([], { cwd }));
    show('cwd as a URL', await ways('*.js', { cwd: pathToFileURL(top) }));
    show('a cwd that is missing', await ways('*', { cwd: path.join(top, 'x') }));
    show('entries', await ways('**', { cwd, withFileTypes: true }));
    show('entries of names', await ways(['src', 'nine', 'link', 'src/deep/..'], { cwd, withFileTypes: true }));
    for (const exclude of [['src'], ['**/deep'], ['./src/**'], ['*.js'], ['**/*.js', 'docs'], ['**'],
        ['nothing'], [], (name) => name === 'deep', () => true, (name) => console.log('?', name)])
        show(`without ${exclude}`, fs.globSync('{src,docs}/**', { cwd, exclude }));
    show('absolute exclusions', fs.globSync([`${top}/*.js`, '*.js'], { cwd, exclude: [`${top}/e*`] }));
    show('by entry', fs.globSync('**/*', { cwd, withFileTypes: true,
        exclude: (entry) => entry.isDirectory() }));

    // the process's own directory
    process.chdir(top);
    show('here', await ways('*.js'));

    // errors
    const { glob, globSync } = fs;
    for (const pattern of [undefined, 5, [5], { a: 1 }])
        refused(() => globSync(pattern));
    refused(() => globSync('*', 'x'));
    refused(() => globSync('*', { cwd: 5 }));
    refused(() => globSync('*', { exclude: 'x' }));
    refused(() => globSync('*', { exclude: [1] }));
    refused(() => globSync('*', { withFileTypes: 1 }));
    refused(() => glob('*'));
    refused(() => glob(5, () => {}));
    refused(() => fs.promises.glob(5));
    refused(() => globSync('*', { exclude() { throw new RangeError('mine'); } }));
    await new Promise((resolve) => glob('*', { exclude() { throw new RangeError('mine'); } },
        (error, found) => resolve(console.log('callback', error?.message, found))));
    const steps = fs.promises.glob('**');
    const first = await steps.next();
    console.log('stopped', first.done, (await steps.return()).done, (await steps.next()).done);
}
main();
