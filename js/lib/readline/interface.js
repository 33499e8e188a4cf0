// SPDX-License-Identifier: MIT
// readline/interface -- Interface: lines from a stream, or edited on a terminal.
//
// Without a terminal, the input is cut into lines.  With one, its keys are
// actions on `line` and `cursor` (readline/editor), and the line is drawn again
// after each of them.
'use strict';

const EventEmitter = require('events/events');
const { StringDecoder } = require('bytes/stringdecoder');
const { cellsOf, stripVTControlCharacters } = require('util/text');
const cursor = require('readline/cursor');
const { abortError, checkInteger, coded, invalidArgType, invalidArgValue,
    outOfRange } = require('core/errors');

const nextTick = (...args) => require('program/process').nextTick(...args);

const LINE_END = /\r?\n|\r(?!\n)/g;
const LEAST_CRLF_DELAY_MS = 100;

// ---- the arguments ----

const isOptions = (value) => value !== null && typeof value === 'object' && value.input;

function optionsOf(input, output, completer, terminal) {
    const given = isOptions(input) ? input : { input, output, completer, terminal };
    const options = { prompt: '> ', historySize: 30, history: [], tabSize: 8,
        removeHistoryDuplicates: false };
    for (const key of Object.keys(options))
        if (isOptions(input) && given[key] !== undefined)
            options[key] = given[key];
    return { ...options, input: given.input, output: given.output, signal: given.signal,
        completer: given.completer, terminal: given.terminal,
        crlfDelay: isOptions(input) ? given.crlfDelay : undefined,
        escapeCodeTimeout: isOptions(input) ? given.escapeCodeTimeout : undefined };
}

function check({ completer, history, historySize, tabSize, signal, escapeCodeTimeout }) {
    if (signal !== undefined)
        require('fs/check').signal(signal);
    if (escapeCodeTimeout !== undefined && !Number.isFinite(escapeCodeTimeout))
        throw invalidArgValue('input.escapeCodeTimeout', escapeCodeTimeout);
    if (completer !== undefined && typeof completer !== 'function')
        throw invalidArgValue('completer', completer);
    if (!Array.isArray(history))
        throw invalidArgType('history', 'an instance of Array', history);
    if (typeof historySize !== 'number')
        throw invalidArgType('historySize', 'of type number', historySize);
    if (!(historySize >= 0))
        throw outOfRange('historySize', '>= 0', historySize);
    checkInteger(tabSize, 'tabSize', 1, 4294967295);
}

// A completer with one argument returns its result.
const withCallback = (completer) => typeof completer !== 'function' || completer.length === 2
    ? completer : (text, done) => done(null, completer(text));

// ---- the class ----

class Interface extends EventEmitter {
    #decoder;
    #buffer = ''; // an unfinished line, without a terminal
    #returnedAt = 0; // when the last key or chunk ended in a return
    #question; // a function, while an answer is awaited
    #oldPrompt;
    #prompt;
    #editor;

    constructor(input, output, completer, terminal) {
        super();
        const options = optionsOf(input, output, completer, terminal);
        check(options);
        this.terminal = options.terminal ?? Boolean(options.output?.isTTY);
        this.line = '';
        this.input = options.input;
        this.output = options.output;
        this.history = options.history;
        this.historySize = options.historySize;
        this.removeHistoryDuplicates = Boolean(options.removeHistoryDuplicates);
        this.crlfDelay = options.crlfDelay
            ? Math.max(LEAST_CRLF_DELAY_MS, options.crlfDelay) : LEAST_CRLF_DELAY_MS;
        this.completer = withCallback(options.completer);
        this.tabSize = options.tabSize;
        this.escapeCodeTimeout = options.escapeCodeTimeout ?? 500;
        this.#prompt = options.prompt;
        this.terminal = Boolean(this.terminal);
        if (this.terminal)
            this.#beginTerminal();
        else
            this.#beginStream();
        this.#obey(options.signal);
        this.input.resume();
    }

    // While the interface is open: { name: listener } of an emitter.
    #listen(emitter, listeners) {
        for (const [name, listener] of Object.entries(listeners))
            emitter.on(name, listener);
        this.once('close', () => {
            for (const [name, listener] of Object.entries(listeners))
                emitter.removeListener(name, listener);
        });
    }

    #beginStream() {
        this.#decoder = new StringDecoder('utf8');
        this.#listen(this.input, {
            data: (chunk) => this.#cut(this.#decoder.write(chunk)),
            end: () => {
                if (this.#buffer !== '')
                    this.emit('line', this.#buffer);
                this.close();
            },
            error: (error) => this.emit('error', error),
        });
    }

    #beginTerminal() {
        const { Editor } = require('readline/editor');
        this.cursor = 0;
        this.#editor = new Editor(this);
        require('readline/keys').emitKeypressEvents(this.input, this);
        this.#listen(this.input, {
            keypress: (text, key) => {
                this._ttyWrite(text, key);
                // Half of a character is drawn again.
                const code = key?.sequence?.codePointAt(0);
                if (code >= 0xd800 && code <= 0xdfff)
                    this._refreshLine();
            },
            end: () => {
                if (typeof this.line === 'string' && this.line.length > 0)
                    this.emit('line', this.line);
                this.close();
            },
            error: (error) => this.emit('error', error),
        });
        if (this.output !== null && this.output !== undefined)
            this.#listen(this.output, { resize: () => this._refreshLine() });
        this._setRawMode(true);
    }

    #obey(signal) {
        if (signal === undefined)
            return;
        const onAbort = () => this.close();
        if (signal.aborted) {
            nextTick(onAbort);
            return;
        }
        signal.addEventListener('abort', onAbort, { once: true });
        this.once('close', () => signal.removeEventListener('abort', onAbort));
    }

    // ---- lines ----

    #cut(text) {
        if (text === undefined || text === '')
            return;
        if (this.#returnedAt && Date.now() - this.#returnedAt <= this.crlfDelay) {
            if (text[0] === '\n')
                text = text.slice(1);
            this.#returnedAt = 0;
        }
        const whole = this.#buffer + text;
        const lines = [];
        let from = 0;
        for (const end of whole.matchAll(LINE_END)) {
            lines.push(whole.slice(from, end.index));
            from = end.index + end[0].length;
        }
        if (lines.length > 0)
            this.#returnedAt = text.endsWith('\r') ? Date.now() : 0;
        this.#buffer = whole.slice(from);
        for (const line of lines)
            this._onLine(line);
    }

    _onLine(line) {
        const answer = this.#question;
        if (answer === undefined) {
            this.emit('line', line);
            return;
        }
        this.#question = undefined;
        this.setPrompt(this.#oldPrompt);
        answer(line);
    }

    // Whether a "\n" belongs to the "\r" before it.
    isSecondHalf() {
        const isSecond = this.#returnedAt !== 0 &&
            Date.now() - this.#returnedAt <= this.crlfDelay;
        this.#returnedAt = 0;
        return isSecond;
    }

    noteReturn(isReturn) { this.#returnedAt = isReturn ? Date.now() : 0; }

    // ---- what programs call ----

    get columns() { return this.output?.columns || Infinity; }
    getPrompt() { return this.#prompt; }
    setPrompt(prompt) { this.#prompt = prompt; }

    prompt(preserveCursor) {
        if (this.paused)
            this.resume();
        if (this.terminal && require('program/process').env.TERM !== 'dumb') {
            if (!preserveCursor)
                this.cursor = 0;
            this._refreshLine();
        } else
            this._writeToOutput(this.#prompt);
    }

    ask(query, answer) {
        if (this.closed)
            throw coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
        if (this.#question !== undefined) {
            this.prompt();
            return;
        }
        this.#oldPrompt = this.#prompt;
        this.setPrompt(query);
        this.#question = answer;
        this.prompt();
    }

    forgetQuestion() {
        if (this.#question === undefined)
            return;
        this.#question = undefined;
        this.setPrompt(this.#oldPrompt);
        this.clearLine();
    }

    close() {
        if (this.closed)
            return;
        this.pause();
        if (this.terminal)
            this._setRawMode(false);
        this.closed = true;
        this.emit('close');
    }

    pause() {
        if (this.paused)
            return undefined;
        this.input.pause();
        this.paused = true;
        this.emit('pause');
        return this;
    }

    resume() {
        if (!this.paused)
            return undefined;
        this.input.resume();
        this.paused = false;
        this.emit('resume');
        return this;
    }

    write(text, key) {
        if (this.paused)
            this.resume();
        if (this.terminal)
            this._ttyWrite(text, key);
        else
            this.#cut(text === undefined ? text : String(text));
    }

    _setRawMode(isRaw) {
        const before = this.input.isRaw;
        if (typeof this.input.setRawMode === 'function')
            this.input.setRawMode(isRaw);
        return before;
    }

    // Programs replace these, to see keys or to hide what is typed.
    _ttyWrite(text, key) { this.#editor.press(text, key); }
    _insertString(text) { this.#editor.insert(text); }
    _line() { this.#editor.finish(); }

    // ---- the screen ----

    _writeToOutput(text) {
        if (typeof text !== 'string')
            throw invalidArgType('stringToWrite', 'of type string', text);
        if (this.output !== null && this.output !== undefined)
            this.output.write(text);
    }

    // Where the end of a text is, in rows and columns from its beginning.
    _getDisplayPos(text) {
        let offset = 0, rows = 0;
        const { columns } = this;
        for (const letter of stripVTControlCharacters(text)) {
            if (letter === '\n') {
                rows += Math.ceil(offset / columns) || 1;
                offset = 0;
            } else if (letter === '\t')
                offset += this.tabSize - offset % this.tabSize;
            else {
                const cells = cellsOf(letter);
                // A wide letter is not broken at the end of a row.
                offset += cells === 2 && (offset + 1) % columns === 0 ? 3 : cells;
            }
        }
        const cols = columns === Infinity ? offset : offset % columns;
        return { cols, rows: rows + (columns === Infinity ? 0 : (offset - cols) / columns) };
    }

    clearLine() {
        this.#editor?.moveToEnd();
        this._writeToOutput('\r\n');
        this.line = '';
        this.cursor = 0;
        this.prevRows = 0;
    }

    getCursorPos() {
        return this._getDisplayPos(this.#prompt + this.line.slice(0, this.cursor));
    }

    _refreshLine() {
        const line = this.#prompt + this.line;
        const end = this._getDisplayPos(line), at = this.getCursorPos();
        if (this.prevRows > 0)
            cursor.moveCursor(this.output, 0, -this.prevRows);
        cursor.cursorTo(this.output, 0);
        cursor.clearScreenDown(this.output);
        this._writeToOutput(line);
        if (end.cols === 0)
            this._writeToOutput(' '); // the terminal makes a new row then
        cursor.cursorTo(this.output, at.cols);
        if (end.rows > at.rows)
            cursor.moveCursor(this.output, 0, at.rows - end.rows);
        this.prevRows = at.rows;
    }

    // ---- iteration ----

    [Symbol.asyncIterator]() {
        const lines = require('events/events').on(this, 'line', { close: ['close'],
            highWaterMark: 1024 });
        const take = ({ value, done }) => ({ value: done ? undefined : value[0], done });
        return {
            next: async () => take(await lines.next()),
            return: async () => {
                this.close();
                return lines.return();
            },
            throw: (error) => lines.throw(error),
            [Symbol.asyncIterator]() { return this; },
        };
    }
}

// ---- readline ----

class CallbackInterface extends Interface {
    question(query, options, callback) {
        if (typeof options === 'function')
            [options, callback] = [undefined, options];
        const { signal } = options ?? {};
        if (signal) {
            require('fs/check').signal(signal);
            if (signal.aborted)
                return;
            const onAbort = () => this.forgetQuestion();
            signal.addEventListener('abort', onAbort, { once: true });
            const given = callback;
            callback = typeof given !== 'function' ? given : (answer) => {
                signal.removeEventListener('abort', onAbort);
                given(answer);
            };
        }
        if (typeof callback === 'function')
            this.ask(query, callback);
    }

    static {
        Object.defineProperty(this.prototype.question,
            Symbol.for('nodejs.util.promisify.custom'), { value(query, options) {
                return new Promise((resolve, reject) => {
                    const signal = options?.signal;
                    if (signal?.aborted) {
                        reject(abortError(signal));
                        return;
                    }
                    const onAbort = () => reject(abortError(signal));
                    signal?.addEventListener('abort', onAbort, { once: true });
                    this.question(query, options, (answer) => {
                        signal?.removeEventListener('abort', onAbort);
                        resolve(answer);
                    });
                });
            } });
    }
}
Object.defineProperty(CallbackInterface, 'name', { value: 'Interface' });

// ---- readline/promises ----

class PromiseInterface extends Interface {
    question(query, options = {}) {
        return new Promise((resolve, reject) => {
            const { signal } = options;
            if (!signal) {
                this.ask(query, resolve);
                return;
            }
            require('fs/check').signal(signal);
            if (signal.aborted) {
                reject(abortError(signal));
                return;
            }
            const onAbort = () => {
                this.forgetQuestion();
                reject(abortError(signal));
            };
            signal.addEventListener('abort', onAbort, { once: true });
            this.ask(query, (answer) => {
                signal.removeEventListener('abort', onAbort);
                resolve(answer);
            });
        });
    }
}
Object.defineProperty(PromiseInterface, 'name', { value: 'Interface' });

// As in Node, the class can be called without `new`.
function callable(Class) {
    return new Proxy(Class, { apply: (_, self, args) => new Class(...args) });
}

const promises = {
    Interface: PromiseInterface,
    Readline: cursor.Readline,
    createInterface: (...args) => new PromiseInterface(...args),
};

module.exports = {
    Interface: callable(CallbackInterface),
    clearLine: cursor.clearLine, clearScreenDown: cursor.clearScreenDown,
    createInterface: (...args) => new CallbackInterface(...args),
    cursorTo: cursor.cursorTo,
    emitKeypressEvents: (...args) => require('readline/keys').emitKeypressEvents(...args),
    moveCursor: cursor.moveCursor, promises,
};
