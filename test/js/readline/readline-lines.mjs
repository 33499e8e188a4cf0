// readline without a terminal: lines, questions, iteration, signals, errors.
import readline from 'node:readline';
import rlp from 'node:readline/promises';
import { PassThrough, Readable } from 'node:stream';
import { once } from 'node:events';
import { promisify } from 'node:util';

// Every kind of line end, wherever the chunks are cut.
for (const size of [1, 2, 3, 100]) {
    const text = Buffer.from('a\nb\r\nc\rd\u2028é\u2029\n\nlast');
    const chunks = [];
    for (let at = 0; at < text.length; at += size)
        chunks.push(text.subarray(at, at + size));
    const face = readline.createInterface({ input: Readable.from(chunks), crlfDelay: Infinity });
    const lines = [];
    face.on('line', (line) => lines.push(line));
    await once(face, 'close');
    console.log(size, JSON.stringify(lines));
}

// Iteration, also while lines wait; leaving the loop closes.
const input = new PassThrough();
const face = readline.createInterface({ input });
setImmediate(() => {
    input.write('one\ntwo\nthr');
    input.end('ee\n');
});
for await (const line of face)
    console.log('line', line);
const more = new PassThrough(), left = readline.createInterface({ input: more });
setImmediate(() => more.write('x\ny\n'));
for await (const line of left) {
    console.log('first', line);
    break;
}

// Questions.
const asked = new PassThrough(), shown = new PassThrough();
const rl = readline.createInterface({ input: asked, output: shown, prompt: 'p> ' });
console.log(rl.terminal, rl.getPrompt(), rl.line, rl.cursor, rl.history, rl.closed);
rl.question('name? ', (answer) => console.log('answer', answer));
rl.question('again? ', () => console.log('never'));
asked.write('weir\n');
rl.on('line', (line) => console.log('line', line));
const events = [];
for (const name of ['pause', 'resume', 'close'])
    rl.on(name, () => events.push(name));
await new Promise(setImmediate);
rl.setPrompt('q> ');
rl.prompt();
rl.pause();
rl.pause();
rl.write('typed\nrest');
rl.resume();
const promised = promisify(rl.question).call(rl, 'promised? ');
asked.write(' of it\n');
console.log(await promised);
const control = new AbortController();
rl.question('dropped? ', { signal: control.signal }, () => console.log('never'));
control.abort();
asked.write('unasked\n');
await new Promise(setImmediate);
rl.close();
rl.close();
try {
    rl.question('?', () => {});
} catch (error) {
    console.log(error.name, error.code, error.message);
}
console.log(events, JSON.stringify(shown.read()?.toString()));

// readline/promises.
const source = new PassThrough(), target = new PassThrough();
const later = rlp.createInterface(source, target);
console.log(later instanceof rlp.Interface, readline.promises === rlp);
const first = later.question('1? ');
source.write('A\n');
console.log(await first);
const stop = new AbortController();
const second = later.question('2? ', { signal: stop.signal });
stop.abort();
await second.catch((error) => console.log(error.name, error.code));
await later.question('3?', { signal: AbortSignal.abort() }).catch(
    (error) => console.log(error.name));
later.close();
await later.question('4?').catch((error) => console.log(error.code));
console.log(JSON.stringify(target.read().toString()));

// Signals close it; errors of the input are its own.
const ended = new AbortController();
const aborted = readline.createInterface({ input: new PassThrough(), signal: ended.signal });
const closed = once(aborted, 'close');
ended.abort();
await closed;
const early = readline.createInterface({ input: new PassThrough(), signal: AbortSignal.abort() });
await once(early, 'close');
console.log(aborted.closed, early.closed);

for (const options of [{ completer: 1 }, { history: 1 }, { historySize: -1 },
    { historySize: 'x' }, { tabSize: 0 }, { tabSize: 1.5 }, { signal: 1 }])
    try {
        readline.createInterface({ input: new PassThrough(), ...options });
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
console.log(readline.Interface({ input: new PassThrough() }) instanceof readline.Interface);

// Hiding what is typed, as many programs do.
const secret = new PassThrough(), masked = new PassThrough();
const hidden = readline.createInterface({ input: secret, output: masked, terminal: true });
const pressed = [];
hidden.question('password? ', (answer) => console.log('secret', answer));
hidden._writeToOutput = (text) => hidden.output.write(text.replace(/[a-z]/g, '*'));
hidden._ttyWrite = ((before) => function (text, key) {
    pressed.push(key.name);
    return before.call(this, text, key);
})(hidden._ttyWrite);
for (const letter of 'abc\r')
    secret.write(letter);
await new Promise(setImmediate);
hidden.close();
console.log(pressed, JSON.stringify(masked.read().toString()));
