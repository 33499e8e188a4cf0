// weir only
// long: thread
// The cache: written once, used only for the same source, and only if no one else
// could have written it.
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs'), os = require('os'), path = require('path');

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-ts-'));
process.on('exit', () => fs.rmSync(directory, { recursive: true }));
const cache = path.join(directory, 'deep', 'cache'), file = path.join(directory, 'program.ts');

function run(environment = { WEIR_CACHE: cache }) {
    return execFileSync(process.execPath, [file], { encoding: 'utf8',
        env: { PATH: process.env.PATH, ...environment } }).trim();
}
const entries = () => fs.readdirSync(cache);
const entry = () => path.join(cache, entries()[0]);

fs.writeFileSync(file, 'const x: number = 1; console.log("first", x)');
console.log(run(), entries().length);
console.log((fs.statSync(cache).mode & 0o777).toString(8), (fs.statSync(entry()).mode & 0o777).toString(8));

// What it has is used: here it is changed behind its back.
const kept = fs.readFileSync(entry(), 'utf8');
const changed = kept.slice(0, kept.lastIndexOf('"first"')) + '"cached"' +
    kept.slice(kept.lastIndexOf('"first"') + 7);
fs.writeFileSync(entry(), changed);
console.log(run());

// Another source, the same file: one entry.
fs.writeFileSync(file, 'const x: number = 2; console.log("second", x)');
console.log(run(), entries().length, run());

// Others can write to it, to its directory, or it is a link.
fs.writeFileSync(entry(), fs.readFileSync(entry(), 'utf8').replace(/"second"(?=[^"]*$)/, '"cached"'));
console.log(run());
fs.chmodSync(entry(), 0o666);
console.log(run());
fs.writeFileSync(entry(), fs.readFileSync(entry(), 'utf8').replace(/"second"(?=[^"]*$)/, '"cached"'));
fs.chmodSync(cache, 0o777);
console.log(run());
fs.chmodSync(cache, 0o700);
fs.renameSync(entry(), path.join(directory, 'moved'));
const name = kept.length > 0 ? fs.readdirSync(cache) : [];
console.log(name.length);

// Broken, cut short, empty, a directory
run();
const whole = fs.readFileSync(entry(), 'utf8');
for (const text of ['', 'weir', whole.slice(0, 40), whole.slice(0, -1), whole.slice(0, -20)]) {
    fs.writeFileSync(entry(), text);
    console.log(run(), fs.readFileSync(entry(), 'utf8').length > 40);
}
const at = entry();
fs.rmSync(at);
fs.mkdirSync(at);
console.log(run());

// None, the places by default, one that cannot be made
console.log(run({ WEIR_CACHE: '' }), run({ WEIR_CACHE: '/dev/null/x' }), run({}));
console.log(run({ XDG_CACHE_HOME: path.join(directory, 'xdg') }),
    fs.readdirSync(path.join(directory, 'xdg', 'weir')).length);
console.log(run({ HOME: directory }), fs.readdirSync(path.join(directory, '.cache', 'weir')).length);
