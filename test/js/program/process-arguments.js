// Functions of process with odd arguments: what they take, and what they say.
const fs = require('fs'), os = require('os'), path = require('path');
const start = process.cwd();
const show = (call) => {
    try {
        console.log(call());
    } catch (error) {
        const { name, message, ...more } = error;
        console.log(name, message.replace(start, 'START'), { ...more, path: more.path?.replace(start, 'START') });
    }
};
const odd = [undefined, null, true, 0, -0, 1.5, NaN, -1, 2 ** 32, 1n, '', 'x', '8', '022', {}, [], () => {}];

for (const value of ['nope', '', __filename.slice(__filename.lastIndexOf('/') + 1), "it's", ...odd.filter((one) => typeof one !== 'string')])
    show(() => process.chdir(value));
const gone = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-'));
process.chdir(gone);
fs.rmdirSync(gone);
show(() => process.cwd());
process.chdir(start);

process.umask(0o27);
for (const value of ['022', '27', '8', 'x', '', null, true, 1.5, -1, 2 ** 32, {}, 0o777])
    show(() => process.umask(value).toString(8));
show(() => process.umask().toString(8));

for (const value of [null, 5, 'x', {}, [], [1], [1, 2, 3]])
    show(() => process.hrtime(value));
show(() => process.hrtime([1, 2]).length);

for (const signal of ['SIGNOPE', 'sigterm', 'toString', 1.5, true, {}, [], () => {}, new Map(), 1000, -1])
    show(() => process.kill(process.pid, signal));
show(() => process.kill(process.pid, 0));
show(() => process.kill(2 ** 30));
for (const pid of [undefined, null, 'x', 1.5, NaN, {}, [], 2 ** 32])
    if (pid !== null && !Array.isArray(pid)) // Node would take these for 0, the group
        show(() => process.kill(pid, 0));

for (const code of [1.5, NaN, '1.5', 'x', '', true, {}, 5, '6', null, undefined])
    show(() => { process.exitCode = code; return process.exitCode; });

process.on('warning', ({ name, message, code, detail }) => console.log('warning', { name, message, code, detail }));
for (const value of odd) {
    show(() => process.emitWarning(value));
    show(() => process.emitWarning(`type ${typeof value}`, value));
    show(() => process.emitWarning(`code ${typeof value}`, 'Mine', value));
    show(() => process.emitWarning(`options ${typeof value}`, { type: value, detail: value }));
    show(() => process.emitWarning(`options ${typeof value}`, { code: value }));
}
for (const code of [null, 5, {}, ''])
    show(() => typeof require('util').deprecate(() => {}, 'old', code));
