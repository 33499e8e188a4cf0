// readline: keys as events, and the editing of a line on a terminal.
import readline from 'node:readline';
import { PassThrough } from 'node:stream';

// Keys, whole and cut.
const sequences = ['a', 'A', '1', ' ', 'é', '😀', '\r', '\n', '\t', '\x7f', '\b', '\x01', '\x1a',
    '\x1bb', '\x1bB', '\x1b\r', '\x1b\x7f', '\x1b[A', '\x1bOA', '\x1b[1;5C', '\x1b[1;2D',
    '\x1b[3~', '\x1b[3;5~', '\x1b[15~', '\x1b[[A', '\x1bOP', '\x1b[Z', '\x1b[a', '\x1bOa',
    '\x1b[2$', '\x1b[2^', '\x1b[200~', '\x1b[x', '\x1b\x1b[A', '\x1b!', '\x1bO5A', '\x1b[1;10A'];
const keys = new PassThrough();
readline.emitKeypressEvents(keys);
readline.emitKeypressEvents(keys);
keys.on('keypress', (text, key) => console.log(JSON.stringify(text), JSON.stringify(key)));
for (const sequence of sequences)
    keys.write(sequence);
await new Promise(setImmediate);
for (const byte of Buffer.from('\x1b[1;5Dé'))
    keys.write(Buffer.from([byte]));
await new Promise(setImmediate);
keys.write('\x1b'); // alone, after a while
await new Promise((resolve) => keys.once('keypress', resolve));

// Editing: what is on the screen, and what is in the line.
const names = { up: '\x1b[A', down: '\x1b[B', right: '\x1b[C', left: '\x1b[D', home: '\x1b[H',
    end: '\x1b[F', del: '\x1b[3~', back: '\x7f', enter: '\r', tab: '\t' };
function terminal(options = {}) {
    const input = new PassThrough(), output = new PassThrough();
    output.columns = options.columns ?? 20;
    const face = readline.createInterface({ input, output, terminal: true, ...options });
    face.on('line', (line) => console.log('line', JSON.stringify(line)));
    face.press = async (...all) => {
        for (const one of all)
            input.write(names[one] ?? one);
        await new Promise(setImmediate);
        console.log(JSON.stringify(face.line), face.cursor,
            JSON.stringify(output.read()?.toString() ?? ''));
    };
    return face;
}

const face = terminal({ prompt: '$ ' });
face.prompt();
await face.press('hello');
await face.press('left', 'left', 'X');
await face.press('back', 'del', 'home', 'end');
await face.press('\x01', '\x06', '\x02', '\x05');
await face.press(' world wide', '\x17', '\x1bb', '\x1bf', '\x1b\x7f');
await face.press('\x15', '\x19', 'abc', '\x02', '\x0b', '\x19', '\x1by', '\x1by');
await face.press('\x1f', '\x1f', '\x1e');
await face.press('enter');
await face.press('two\r', 'three\r', 'four\r\n');
await face.press('up', 'up');
await face.press('down', 'down', 'down');
await face.press('t', 'up', 'up', 'up', 'down');
await face.press('\x15', 'a line that is longer than the screen', 'home', 'y', 'end');
await face.press('\r', '漢字', 'left', 'back', '😀', 'left', 'right', 'back');
await face.press('\x0c', 'a', ' ', 'b', '\x1b[1;5D', '\x1b[1;5C', '\x1bd', 'home', '\x1bd');
await face.press('\x05', '\x15', 'pasted\nlines\nrest');
await face.press('\x15\x04');
console.log(face.closed, face.history);

const completing = terminal({ columns: 30, completer: (line) => {
    const all = ['apple', 'apricot', 'banana'];
    const found = all.filter((one) => one.startsWith(line));
    return [found.length > 0 ? found : all, line];
} });
completing.prompt();
await completing.press('b', 'tab');
await completing.press('\x15', 'a', 'tab', 'tab', 'tab');
await completing.press('\x15', 'tab', 'tab');
completing.close();

const failing = terminal({ completer: (line, done) => done(new Error('no').message) });
await failing.press('x', 'tab');
await failing.press('\x15', 'a\tb');
failing.on('SIGINT', () => console.log('SIGINT'));
await failing.press('\x03');
failing.removeAllListeners('SIGINT');
await failing.press('\x03');
console.log(failing.closed);

const remembering = terminal({ historySize: 2, history: ['old'], removeHistoryDuplicates: true });
remembering.on('history', (history) => console.log(history));
await remembering.press('a\r', 'b\r', 'a\r', '  \r');
remembering.question('sure? ', (answer) => console.log('answer', answer));
await remembering.press('yes\r');
remembering.write('written');
remembering.write(null, { ctrl: true, name: 'u' });
console.log(JSON.stringify(remembering.line), remembering.getCursorPos());
remembering.close();
