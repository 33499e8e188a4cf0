// util: styleText, parseEnv, MIMEType, aborted, getSystemErrorMap; sys.
const util = require('util');

const attempt = (run) => {
    try {
        return run();
    } catch (error) {
        return `${error.name} ${error.code} ${error.message}`;
    }
};
const show = (run) => console.log(attempt(run));

// Colours, for a stream that shows them.
const tty = { isTTY: true, write() {}, pipe() {}, on() {}, getColorDepth: () => 8 };
for (const args of [['red', 'x'], [['bold', 'green'], 'x'], ['red', 'x', { stream: tty }],
    ['red', 'x', { validateStream: false }], [[], 'x'], ['none', 'x'], [['red', 'none'], 'x'],
    ['red', 1], ['red', 'x', { validateStream: 1 }], ['red', 'x', { stream: 1 }],
    ['red', 'x', { stream: null }]])
    console.log(JSON.stringify(attempt(() => util.styleText(...args))));

// Files of variables.
console.log(util.parseEnv(`
# comment
A=1
B = two words  # comment
C="quoted # not"
D='single'
E=\`back\`
F="a\\nb"
G='a\\nb'
export H=exported
I=
J="multi
line"
K=a#b
L=x=y
 M=indented
N=" spaces "
O="x" trailing
P='it"s'
Q=a\\nb
R="a""b"
S= "after a space"
T='open
U=last`));
for (const text of ['', '#', '=', 'A', 'A=', 'A="', 'A=1\r\nB=2\r\n', '=1\nB=2', 'A="x"', '\n\nA=1\n\n#'])
    console.log(JSON.stringify(text), util.parseEnv(text));
show(() => util.parseEnv(1));

// MIME types.
for (const text of ['text/html;charset=utf-8; q="a b"', 'TEXT/Plain', ' text/plain ',
    'text/html;charset="shift_jis"iso', 'text/html;x', 'text/html;=1;a=', 'a/b;c=\u00e9;d=(',
    'text/plain ; a=1 ;b=2;a=3', 'x/y;a="b\\"c";d="open', 'x/y;;a=1', 'text', '/x', 'text/',
    'te xt/x', 'x/y z', 'x/y;a=\u0100', 1])
    show(() => {
        const type = new util.MIMEType(text);
        return `${type} ${type.essence} ${type.type} ${type.subtype} ` +
            JSON.stringify([...type.params]);
    });
const type = new util.MIMEType('text/html;a=1');
console.log(type, JSON.stringify(type));
for (const run of [() => type.type = 'x y', () => type.type = '', () => type.subtype = '/',
    () => type.params.set('a b', 'x'), () => type.params.set('', 'x'),
    () => type.params.set('x', '\u0100'), () => type.params.get()])
    show(run);
type.type = 'App';
type.subtype = 'Json';
type.params.set('B', 'x y');
type.params.set('e', '');
console.log(`${type}`, type.params.has('b'), type.params.get('B'), type.params.delete('a'),
    [...type.params.keys()], [...type.params.values()], `${type.params}`,
    JSON.stringify(type.params), type.params[Symbol.iterator] === type.params.entries,
    new util.MIMEParams());

// Errors of the system.
const errors = util.getSystemErrorMap();
console.log(errors.get(-2), errors.get(-13), errors.get(0));

// Aborts.
const control = new AbortController(), resource = {};
const aborted = util.aborted(control.signal, resource);
control.abort();
aborted.then(async (value) => {
    console.log(value?.type, await util.aborted(AbortSignal.abort(), resource));
    await util.aborted(undefined, {}).catch(({ code, message }) => console.log(code, message));
    await util.aborted(control.signal, 1).catch(({ code, message }) => console.log(code, message));
});
console.log(require('sys').inspect === util.inspect, require('node:sys').format('%d', 1));

// process.loadEnvFile: variables that exist stay.
const fs = require('fs'), path = require('path'), os = require('os');
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-env-'));
process.chdir(directory);
process.env.WEIR_THERE = 'stays';
fs.writeFileSync('.env', 'WEIR_THERE=1\nWEIR_NEW="a b"\n');
fs.writeFileSync('other', 'WEIR_OTHER=2\n');
process.loadEnvFile();
process.loadEnvFile('other');
console.log(process.env.WEIR_THERE, process.env.WEIR_NEW, process.env.WEIR_OTHER);
try {
    process.loadEnvFile('missing');
} catch (error) {
    console.log(error.code, error.syscall);
}
fs.rmSync(directory, { recursive: true });
