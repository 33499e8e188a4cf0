// Directories: made, listed, removed.
const fs = require('fs'), path = require('path');
const dir = fs.mkdtempSync(path.join('/tmp', 'weir-fs-'));
process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }));
process.chdir(dir);
const p = fs.promises;

console.log(fs.mkdirSync('a'), fs.mkdirSync('b/c/d', { recursive: true }), fs.mkdirSync('b/c/d', { recursive: true }), fs.mkdirSync('b/c//e/./f/', { recursive: true, mode: 0o700 }), fs.mkdirSync(`${dir}/g/h`, { recursive: true }) === `${dir}/g`);
console.log((fs.statSync('b/c/e').mode & 0o777).toString(8));
for (const name of ['a/2', 'a/1', 'a/10', 'a/B', 'a/\u00e9', 'b/x', 'b/c/y'])
    fs.writeFileSync(name, name);
fs.symlinkSync('../a', 'b/link');
fs.symlinkSync('nowhere', 'b/broken');
console.log(fs.readdirSync('a'), fs.readdirSync('b'), fs.readdirSync('g/h'));
console.log(fs.readdirSync('b', { withFileTypes: true }));
console.log(fs.readdirSync('b', { withFileTypes: true }).map((entry) => [entry.name, entry.isFile(), entry.isDirectory(), entry.isSymbolicLink(), entry.isFIFO(), entry.isSocket(), entry.isBlockDevice(), entry.isCharacterDevice()].join()));
console.log(fs.readdirSync('b', { recursive: true }));
console.log(fs.readdirSync('b/', { recursive: true, withFileTypes: true }).map((entry) => `${entry.parentPath}|${entry.name}`));
console.log(fs.readdirSync('/dev', { withFileTypes: true }).find((entry) => entry.name === 'null').isCharacterDevice());
console.log(fs.readdirSync('a', { encoding: 'buffer' }).map((name) => name.length).join(), fs.readdirSync('a', 'utf8').length);

async function main() {
    console.log(await new Promise((resolve) => fs.readdir('a', (error, names) => resolve([error, names]))));
    console.log(await p.readdir('a'), (await p.readdir('b', { withFileTypes: true })).length, (await p.readdir('b', { recursive: true })).sort());
    console.log(await p.mkdir('q/r', { recursive: true }), await p.mkdir('q/s'), (await p.mkdtemp('q/t-')).length);
    console.log(await p.rmdir('q/s'), await p.rm('q', { recursive: true }), await p.rm('q', { force: true, recursive: true }), fs.existsSync('q'));
    console.log(await new Promise((resolve) => fs.mkdir('q/r', { recursive: true }, (error, first) => resolve([error, first]))));
    console.log(await new Promise((resolve) => fs.mkdtemp('q/', (error, name) => resolve([error, name.length]))));
    await new Promise((resolve) => fs.rm('q', { recursive: true }, (error) => { console.log(error); resolve(); }));
    // A tree does not follow links out of itself.
    fs.rmSync('b', { recursive: true });
    console.log(fs.readdirSync('.'), fs.readdirSync('a').length);
    fs.symlinkSync('a', 'to-a');
    fs.rmSync('to-a', { recursive: true });
    console.log(fs.readdirSync('.'), fs.readdirSync('a').length);
    // Deep, and wide.
    const deep = `deep/${'d/'.repeat(200)}`;
    fs.mkdirSync(deep, { recursive: true });
    for (let i = 0; i < 300; i++)
        fs.writeFileSync(`deep/d/${i}`, '');
    console.log(fs.readdirSync('deep', { recursive: true }).length);
    await p.rm('deep', { recursive: true });
    console.log(fs.readdirSync('.'));
    console.log(fs.rmSync('a/1', { maxRetries: 2, retryDelay: 1 }), fs.rmSync('nope', { force: true }));
}
main();
