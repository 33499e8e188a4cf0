// console.Console: consoles on streams of the program.
const { Writable } = require('node:stream');
const { Console } = console;
const assert = require('node:assert');

const text = {};
const to = (name) => new Writable({ decodeStrings: false, write(chunk, encoding, done) {
    text[name] = (text[name] ?? '') + chunk;
    done();
} });
const show = (run) => {
    try {
        console.log(run());
    } catch ({ name, code, message }) {
        console.log(name, code, message);
    }
};
function print() {
    console.log(text);
    for (const name of Object.keys(text))
        delete text[name];
}

console.log(Console === require('node:console').Console, Console.name,
    console instanceof Console, ({}) instanceof Console);
const own = new Console(to('out'), to('err'));
console.log(own instanceof Console, typeof own._stdout.write, typeof own._stderr.write);
own.log('log %d', 1, { a: 1 }); own.info('info'); own.debug('debug');
own.warn('warn'); own.error('error');
own.group('group'); own.log('in\nside'); own.warn('inside'); own.groupEnd(); own.log('outside');
own.count(); own.count(); own.count('x'); own.countReset(); own.count();
own.dir({ a: { b: { c: {} } } }, { depth: 0 }); own.dirxml(1, 2);
own.assert(true, 'never'); own.assert(false, 'a %s', 'reason'); own.assert(false);
own.table([{ a: 1 }]);
own.time('t'); own.timeEnd('t');
text.out = text.out.replace(/t: [\d.]+ms/, 't: N ms');
print();
console.count(); // its own

// Detached, called without new, and with one stream for both.
const { log, error } = Console(to('one'));
log('detached'); error('too');
print();

// Options.
const colored = new Console({ stdout: to('out'), stderr: to('err'), colorMode: true,
    groupIndentation: 4, inspectOptions: { depth: 0 } });
colored.group(); colored.log({ a: { b: 1 } }, 'text', 5); colored.dir({ a: 1 }); colored.groupEnd();
new Console({ stdout: to('plain'), inspectOptions: { colors: true } }).log([1]);
print();

// A class of one's own.
class Mine extends Console {
    log(...args) { super.log('mine:', ...args); }
    extra() { this.log('extra'); }
}
const mine = new Mine(to('out'));
mine.log(1); mine.extra(); mine.count(); mine.group('g'); mine.info(2); mine.groupEnd();
print();
console.log(mine instanceof Mine, mine instanceof Console);

// A stream that fails.
const broken = { write() { throw new Error('broken'); }, on() {}, once() {}, removeListener() {},
    listenerCount: () => 0 };
show(() => new Console({ stdout: broken, ignoreErrors: true }).log('x'));
show(() => new Console({ stdout: broken, ignoreErrors: false }).log('x'));

for (const args of [[], [{}], [{ write: 1 }], [to('x'), 5], [to('x'), { write: 1 }],
    [{ stdout: to('x'), colorMode: 'yes' }], [{ stdout: to('x'), groupIndentation: -1 }],
    [{ stdout: to('x'), groupIndentation: 1001 }], [{ stdout: to('x'), groupIndentation: 'x' }],
    [{ stdout: to('x'), inspectOptions: 5 }],
    [{ stdout: to('x'), inspectOptions: { colors: true }, colorMode: true }]])
    show(() => typeof new Console(...args));

assert.equal(console._stdout, process.stdout);
assert.equal(console._stderr, process.stderr);
for (const name of ['profile', 'profileEnd', 'timeStamp'])
    console.log(console[name]('x'));
const { Console: same } = console;
console.Console = class Replaced {};
console.log(same === Console, console.Console.name);
