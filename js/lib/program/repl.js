// SPDX-License-Identifier: MIT
// repl -- read, evaluate, print on a terminal, while timers run.
'use strict';

const { LineEditor, PlainLines } = require('program/lineeditor');
const process = require('program/process');
const { inspect } = require('util/inspect');

const commands = {
    __proto__: null,
    '.break': 'Forget what was typed of a piece of code',
    '.exit': 'Leave, as does Ctrl-D',
    '.help': 'This list',
};

// Whether the code is incomplete: a bracket, a comment or a template is open.
function goesOn(text) {
    const open = [];
    // Strings, regular expressions where a value may stand, comments, words.
    const token = /'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\w$]+|\s+|[\s\S]/y;
    const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
    let last = '';
    for (let at = 0; at < text.length;) {
        if (open.at(-1) === '`') { // inside a template
            const rest = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*(`|\$\{)?/y;
            rest.lastIndex = at;
            const end = rest.exec(text)[1];
            if (end === undefined)
                return true;
            at = rest.lastIndex;
            if (end === '`')
                open.pop();
            else
                open.push('${');
            last = end === '`' ? ')' : '{';
            continue;
        }
        regex.lastIndex = token.lastIndex = at;
        const isValue = /^(?:|[-+*/%=<>!&|^~?:,;([{}]|return|typeof|case|in|of|void|delete|await)$/
            .test(last);
        const found = text[at] === '/' && !/[/*]/.test(text[at + 1]) && isValue &&
            regex.exec(text);
        const [word] = found || token.exec(text);
        at += word.length;
        if (word.startsWith('/*') && !/^\/\*[\s\S]*\*\/$/.test(word))
            return true;
        if (/^(?:\s|\/\/|\/\*)/.test(word))
            continue;
        last = word;
        if ('([{`'.includes(word))
            open.push(word);
        else if (')]}'.includes(word))
            open.pop();
    }
    return open.length > 0;
}

// ---- completion ----

// The value of a.b.c, found without calling getters of the program.
function valueOf(path) {
    const [first, ...rest] = path.split('.');
    let value;
    try {
        value = native.run(first, 'REPL', false);
    } catch {
        return undefined;
    }
    for (const key of rest) {
        let owner = value;
        while (owner !== null && owner !== undefined && !Object.hasOwn(owner, key))
            owner = Object.getPrototypeOf(owner);
        value = owner === null || owner === undefined ? undefined
            : Object.getOwnPropertyDescriptor(owner, key).value;
    }
    return value;
}

function namesOf(value) {
    const names = new Set();
    for (let owner = value; owner !== null && owner !== undefined;
        owner = Object.getPrototypeOf(Object(owner)))
        for (const name of Object.getOwnPropertyNames(Object(owner)))
            if (/^[A-Za-z_$][\w$]*$/.test(name))
                names.add(name);
    return [...names];
}

const keywords = ('async await break case catch class const continue debugger default ' +
    'delete do else export extends false finally for function if import in instanceof let ' +
    'new null return static super switch this throw true try typeof var void while with ' +
    'yield').split(' ');

function complete(text) {
    if (/^\.\w*$/.test(text))
        return [Object.keys(commands).filter((name) => name.startsWith(text)), text];
    const [, path, part] = /((?:[\w$]+\.)*)([\w$]*)$/.exec(text);
    if (path === '' && part === '')
        return [[], ''];
    const all = path === '' ? [...namesOf(globalThis), ...keywords]
        : namesOf(valueOf(path.slice(0, -1)));
    return [all.filter((name) => name.startsWith(part)).sort(), part];
}

// ---- the history file ----

const KEPT = 1000;

function historyFile() {
    const { WEIR_REPL_HISTORY: name, HOME } = process.env;
    return name ?? (HOME ? `${HOME}/.weir_history` : '');
}

// The history is private: a regular file that only its owner can read, and not
// a symbolic link, which could redirect a line into another file.  O_NONBLOCK
// is there because opening a pipe would wait for its other end.
function openHistory(flags) {
    const fs = require('fs/fs');
    const { O_RDWR, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const fd = fs.openSync(historyFile(), O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | flags, 0o600);
    try {
        const stats = fs.fstatSync(fd);
        if (!stats.isFile())
            throw new Error('not a regular file');
        if (stats.mode & 0o077)
            fs.fchmodSync(fd, 0o600);
    } catch (error) {
        fs.closeSync(fd);
        throw error;
    }
    return fd;
}

// Call use(fd).  If the file cannot be opened, go on without it.
function withHistory(flags, use) {
    let fd;
    try {
        fd = openHistory(flags);
        return use(fd);
    } catch {
        return undefined;
    } finally {
        if (fd !== undefined)
            require('fs/fs').closeSync(fd);
    }
}

function loadHistory() {
    const fs = require('fs/fs');
    return withHistory(0, (fd) => {
        const lines = fs.readFileSync(fd, 'utf8').split('\n').filter(Boolean);
        if (lines.length > KEPT) {
            fs.ftruncateSync(fd);
            fs.writeSync(fd, `${lines.slice(-KEPT).join('\n')}\n`);
        }
        return lines.slice(-KEPT);
    }) ?? [];
}

function saveLine(line) {
    const fs = require('fs/fs');
    if (line.trim() !== '' && historyFile() !== '')
        withHistory(fs.constants.O_CREAT, (fd) => fs.writeSync(fd, `${line}\n`));
}

// ---- evaluation ----

let pieces = 0;

function parses(text, isAsync) {
    try {
        native.parse(text, 'REPL', isAsync);
        return true;
    } catch {
        return false;
    }
}

// Interpret the text: {a: 1} is an object, and `await` may stand anywhere.
function evaluate(text) {
    const name = `REPL${++pieces}`;
    if (/^\s*\{/.test(text) && !/;\s*$/.test(text)) {
        for (const isAsync of [false, true])
            if (parses(`(${text})`, isAsync))
                return [native.run(`(${text})`, name, isAsync), isAsync];
    }
    const isAsync = /\bawait\b/.test(text) && !parses(text, false) && parses(text, true);
    return [native.run(text, name, isAsync), isAsync];
}

// _ is the last value, until the program assigns to the name.
function keep(name) {
    let last;
    Object.defineProperty(globalThis, name, {
        configurable: true,
        get: () => last,
        set(value) {
            process.stdout.write(`Expression assignment to ${name} now disabled.\n`);
            Object.defineProperty(globalThis, name,
                { value, writable: true, configurable: true, enumerable: true });
        },
    });
    return (value) => { last = value; };
}

// Cut the stack below the typed code.
function describe(error, options) {
    return inspect(error, options)
        .replace(/\n +at (?:<eval> \(REPL\d+:|.*\(?(?:native|node:internal\/)).*/g, '');
}

const COOKED = 0, RAW = 1, WITH_SIGNALS = 2; // while code runs, Ctrl-C is a signal

function start() {
    const { stdin, stdout } = process;
    const isPlain = !stdout.isTTY || process.env.TERM === 'dumb';
    const options = { colors: !isPlain && process.env.NO_COLOR === undefined };
    const setRaw = (how) => { if (!isPlain) native.setRaw(stdin.fd, how); };
    const setValue = keep('_'), setError = keep('_error');
    let code = '', isBusy = false, wasInterrupted = false, turn = 0;

    function fail(error) {
        setError(error);
        stdout.write(`Uncaught ${describe(error, options)}\n`);
    }
    function ask() {
        isBusy = false;
        setRaw(RAW);
        editor.ask(code === '' ? '> ' : '... ');
    }
    async function run(text) {
        const mine = ++turn;
        isBusy = true;
        setRaw(WITH_SIGNALS);
        try {
            let [value, isAsync] = evaluate(text);
            if (isAsync)
                ({ value } = await value);
            if (mine !== turn)
                return; // interrupted
            setValue(value);
            stdout.write(`${inspect(value, options)}\n`);
        } catch (error) {
            if (mine !== turn)
                return;
            fail(error);
        }
        ask();
    }
    function interrupt(isEmpty) {
        turn++;
        if (isEmpty && code === '' && !isBusy && wasInterrupted)
            leave();
        wasInterrupted = isEmpty && code === '' && !isBusy;
        code = '';
        stdout.write(wasInterrupted
            ? '\n(To exit, press Ctrl+C again or Ctrl+D or type .exit)\n' : '^C\n');
        ask();
    }
    function leave() {
        setRaw(COOKED);
        stdout.write('\n');
        process.exit();
    }
    const editor = new (isPlain ? PlainLines : LineEditor)(stdout, {
        complete,
        end: leave,
        interrupt,
        line(line) {
            wasInterrupted = false;
            editor.remember(line);
            saveLine(line);
            const command = line.trim();
            if (command === '.exit')
                return void process.exit();
            if (command === '.break') {
                code = '';
                return ask();
            }
            if (command === '.help' && code === '') {
                for (const [name, text] of Object.entries(commands))
                    stdout.write(`${name.padEnd(9)}${text}\n`);
                return ask();
            }
            if (code === '' && /^\.[a-z]+$/.test(command)) {
                stdout.write('Invalid REPL keyword\n');
                return ask();
            }
            const text = code === '' ? line : `${code}\n${line}`;
            if (goesOn(text)) {
                code = text;
                return ask();
            }
            code = '';
            return text.trim() === '' ? ask() : void run(text);
        },
    });

    process.on('uncaughtException', (error) => {
        stdout.write('\n');
        fail(error);
        editor.refresh();
    });
    native.watch(native.wakeFd, () => {
        if (native.takeSignal() && (isBusy || isPlain))
            interrupt(true);
    });
    native.unref(native.wakeFd);
    stdin.setEncoding('utf8');
    stdin.on('data', (text) => editor.feed(text));
    stdin.on('end', leave);
    editor.history = loadHistory();
    stdout.write(`weir ${process.versions.weir} (quickjs-ng ` +
        `${process.versions['quickjs-ng']}); .help for help\n`);
    ask();
}

module.exports = { start };
