// SPDX-License-Identifier: MIT
// lineeditor -- edit one line on a terminal, key by key.
//
// The terminal is in raw mode.  Keys arrive from stdin as text when the loop
// reads it.  Each key has a name, to which the table below assigns an action.
'use strict';

const { cellsOf } = require('util/text');

// The sequences that terminals send.
const sequences = {
    __proto__: null,
    '\x1b[A': 'up', '\x1b[B': 'down', '\x1b[C': 'right', '\x1b[D': 'left',
    '\x1bOA': 'up', '\x1bOB': 'down', '\x1bOC': 'right', '\x1bOD': 'left',
    '\x1b[H': 'home', '\x1b[F': 'end', '\x1bOH': 'home', '\x1bOF': 'end',
    '\x1b[1~': 'home', '\x1b[4~': 'end', '\x1b[7~': 'home', '\x1b[8~': 'end',
    '\x1b[3~': 'delete', '\x1b[1;5C': 'wordRight', '\x1b[1;5D': 'wordLeft',
    '\x1bf': 'wordRight', '\x1bb': 'wordLeft', '\x1bd': 'deleteWordRight',
    '\x1b\x7f': 'deleteWordLeft',
    '\r': 'enter', '\n': 'enter', '\x7f': 'backspace', '\b': 'backspace', '\t': 'tab',
    '\x01': 'home', '\x02': 'left', '\x03': 'interrupt', '\x04': 'endOrDelete', '\x05': 'end',
    '\x06': 'right', '\x0b': 'deleteToEnd', '\x0c': 'clearScreen', '\x0e': 'down',
    '\x10': 'up', '\x15': 'deleteToStart', '\x17': 'deleteWordLeft',
};

// The first key of a text: [its characters, its name or undefined], or
// undefined if it is incomplete.
function firstKey(text) {
    if (text[0] !== '\x1b') {
        const letter = String.fromCodePoint(text.codePointAt(0));
        return [letter, sequences[letter]];
    }
    const whole = /^\x1b(?:\[[0-9;]*[^0-9;]|O.|[^[O])/su.exec(text)?.[0];
    return whole === undefined ? undefined : [whole, sequences[whole]];
}

// Keep surrogate pairs together.
const before = (text, at) => at > 1 && /[\udc00-\udfff]/.test(text[at - 1]) ? 2 : 1;
const after = (text, at) => /[\ud800-\udbff]/.test(text[at] ?? '') ? 2 : 1;

class LineEditor {
    #output;
    #handlers; // line(text), interrupt(is empty), end(), complete(text)
    #pending = ''; // an incomplete key
    #prompt = '';
    #text = '';
    #cursor = 0;
    #row = 0; // of the cursor, below that of the prompt
    #history = [];
    #place = 0; // index in the history; its length means the new line
    #draft = '';
    #hadTab = false;
    #isStale = false; // the screen is out of date
    isActive = false; // while false, keys wait, except an interrupt

    constructor(output, handlers) {
        this.#output = output;
        this.#handlers = handlers;
    }

    set history(lines) {
        this.#history = lines;
        this.#place = lines.length;
    }

    remember(line) {
        if (line !== '' && line !== this.#history.at(-1))
            this.#history.push(line);
        this.#place = this.#history.length;
    }

    ask(prompt) {
        this.#prompt = prompt;
        this.#text = '';
        this.#cursor = this.#row = 0;
        this.isActive = this.#isStale = true;
        this.feed('');
    }

    // Handle typed text; some of it may belong to the next line.  An interrupt
    // is handled at once.
    feed(text) {
        if (!this.isActive && text.includes('\x03')) {
            this.#pending = '';
            this.#actions.interrupt.call(this);
            return;
        }
        this.#pending += text;
        while (this.#pending !== '' && this.isActive) {
            const key = firstKey(this.#pending);
            if (key === undefined)
                break;
            this.#pending = this.#pending.slice(key[0].length);
            this.#press(...key);
        }
        if (this.isActive)
            this.#draw();
    }

    // Redraw the line in a new row, after something else was written.
    refresh() {
        this.#row = 0;
        this.#isStale = true;
        if (this.isActive)
            this.#draw();
    }

    #press(sent, name) {
        const hadTab = this.#hadTab;
        this.#hadTab = name === 'tab';
        if (name === 'tab')
            this.#complete(hadTab);
        else if (name !== undefined)
            this.#actions[name].call(this);
        else if (sent >= ' ')
            this.#replace(this.#cursor, this.#cursor, sent);
    }

    // ---- actions ----

    #actions = {
        enter() {
            this.#leaveLine();
            this.#output.write('\n');
            this.#handlers.line(this.#text);
        },
        interrupt() {
            const isEmpty = this.#text === '';
            if (this.isActive)
                this.#leaveLine();
            this.#handlers.interrupt(isEmpty);
        },
        endOrDelete() {
            if (this.#text !== '')
                this.#actions.delete.call(this);
            else
                this.#handlers.end();
        },
        left() { this.#move(this.#cursor - before(this.#text, this.#cursor)); },
        right() { this.#move(this.#cursor + after(this.#text, this.#cursor)); },
        home() { this.#move(0); },
        end() { this.#move(this.#text.length); },
        wordLeft() { this.#move(this.#wordStart()); },
        wordRight() { this.#move(this.#wordEnd()); },
        backspace() {
            if (this.#cursor > 0)
                this.#replace(this.#cursor - before(this.#text, this.#cursor), this.#cursor, '');
        },
        delete() {
            this.#replace(this.#cursor, this.#cursor + after(this.#text, this.#cursor), '');
        },
        deleteToEnd() { this.#replace(this.#cursor, this.#text.length, ''); },
        deleteToStart() { this.#replace(0, this.#cursor, ''); },
        deleteWordLeft() { this.#replace(this.#wordStart(), this.#cursor, ''); },
        deleteWordRight() { this.#replace(this.#cursor, this.#wordEnd(), ''); },
        clearScreen() {
            this.#output.write('\x1b[H\x1b[2J');
            this.refresh();
        },
        up() { this.#recall(this.#place - 1); },
        down() { this.#recall(this.#place + 1); },
    };

    #wordStart() {
        return /[\w$]*[^\w$]*$/.exec(this.#text.slice(0, this.#cursor)).index;
    }

    #wordEnd() {
        return this.#cursor + /^[^\w$]*[\w$]*/su.exec(this.#text.slice(this.#cursor))[0].length;
    }

    #recall(place) {
        if (place < 0 || place > this.#history.length)
            return;
        if (this.#place === this.#history.length)
            this.#draft = this.#text;
        this.#place = place;
        this.#replace(0, this.#text.length, this.#history[place] ?? this.#draft);
    }

    #complete(isSecond) {
        const [choices, part] = this.#handlers.complete(this.#text.slice(0, this.#cursor));
        if (choices.length === 0)
            return;
        let common = choices[0];
        for (const choice of choices)
            while (!choice.startsWith(common))
                common = common.slice(0, -1);
        if (common.length > part.length) {
            this.#replace(this.#cursor - part.length, this.#cursor, common);
        } else if (isSecond && choices.length > 1) {
            const widest = Math.max(...choices.map(cellsOf)) + 2;
            const each = Math.max(1, Math.floor(this.#columns() / widest));
            let list = '\n';
            choices.forEach((choice, i) => {
                list += (i + 1) % each === 0 || i === choices.length - 1 ? `${choice}\n`
                    : choice + ' '.repeat(widest - cellsOf(choice));
            });
            this.#output.write(list);
            this.refresh();
        }
    }

    // ---- display ----

    #columns() { return this.#output.columns || 80; }

    #replace(from, to, text) {
        this.#text = this.#text.slice(0, from) + text + this.#text.slice(to);
        this.#cursor = from + text.length;
        this.#isStale = true;
    }

    #move(to) {
        this.#cursor = Math.max(0, Math.min(to, this.#text.length));
        this.#isStale = true;
    }

    #leaveLine() {
        this.#move(this.#text.length);
        this.#draw();
        this.isActive = false;
    }

    // Redraw everything from the prompt's row on, and place the cursor.
    #draw() {
        if (!this.#isStale)
            return;
        this.#isStale = false;
        const columns = this.#columns();
        const cells = cellsOf(this.#prompt + this.#text);
        const at = cellsOf(this.#prompt + this.#text.slice(0, this.#cursor));
        const up = this.#row > 0 ? `\x1b[${this.#row}A` : '';
        // If a line ends at the edge of the screen, the cursor is in the next
        // row.
        const edge = cells > 0 && cells % columns === 0 ? '\n' : '';
        const rows = Math.floor(cells / columns);
        this.#row = Math.floor(at / columns);
        const back = rows > this.#row ? `\x1b[${rows - this.#row}A` : '';
        const column = at % columns;
        this.#output.write(`${up}\r\x1b[0J${this.#prompt}${this.#text}${edge}${back}\r` +
            (column > 0 ? `\x1b[${column}C` : ''));
    }
}

// For a terminal without these capabilities, which edits the line itself.
class PlainLines {
    #output;
    #handlers;
    #pending = '';
    isActive = false;
    history = [];

    constructor(output, handlers) {
        this.#output = output;
        this.#handlers = handlers;
    }

    remember() {}
    refresh() {}

    ask(prompt) {
        this.isActive = true;
        this.#output.write(prompt);
        this.feed('');
    }

    feed(text) {
        this.#pending += text;
        const end = this.#pending.indexOf('\n');
        if (end < 0 || !this.isActive)
            return;
        const line = this.#pending.slice(0, end);
        this.#pending = this.#pending.slice(end + 1);
        this.isActive = false;
        this.#handlers.line(line);
    }
}

module.exports = { LineEditor, PlainLines };
