// readline: the cursor, and Readline of readline/promises.
import readline from 'node:readline';
import { Readline } from 'node:readline/promises';
import { PassThrough } from 'node:stream';

const out = new PassThrough();
const taken = () => JSON.stringify(out.read()?.toString() ?? '');
const attempt = (run) => {
    try {
        return run();
    } catch (error) {
        return `${error.name} ${error.code} ${error.message}`;
    }
};

console.log(readline.cursorTo(out, 3), readline.cursorTo(out, 1, 2), readline.cursorTo(out, 'x'),
    taken());
console.log(readline.moveCursor(out, -1, 2), readline.moveCursor(out, 1, -2),
    readline.moveCursor(out, 0, 0), taken());
console.log(readline.clearLine(out, -1), readline.clearLine(out, 1), readline.clearLine(out, 0),
    readline.clearScreenDown(out), taken());
for (const run of [() => readline.cursorTo(out, NaN), () => readline.cursorTo(out, 1, NaN),
    () => readline.cursorTo(out, undefined, 1), () => readline.cursorTo(out, 1, 2, 3),
    () => readline.moveCursor(out, 1, 1, null), () => readline.clearLine(out, 0, 1),
    () => readline.clearScreenDown(out, 1), () => readline.cursorTo(null, 1, 2)])
    console.log(attempt(run));
await new Promise((resolve) => readline.cursorTo(out, 1, resolve));
await new Promise((resolve) => readline.moveCursor(out, 0, 0, resolve));
await new Promise((resolve) => readline.clearLine(null, 0, resolve));
out.read();

const line = new Readline(out);
console.log(line.cursorTo(1).moveCursor(2, 3).clearLine(1).clearScreenDown() === line, taken());
console.log(await line.commit(), taken());
line.cursorTo(1, 2).rollback();
console.log(await line.commit(), taken());
new Readline(out, { autoCommit: true }).clearLine(0).moveCursor(0, 0);
await new Promise(setImmediate);
console.log(taken());
for (const run of [() => new Readline(1), () => new Readline(out, { autoCommit: 1 }),
    () => line.cursorTo('x'), () => line.cursorTo(1, 'x'), () => line.moveCursor(1, 'x'),
    () => line.clearLine(2), () => line.clearLine('x')])
    console.log(attempt(run));
