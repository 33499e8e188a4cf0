// SPDX-License-Identifier: MIT
// readline/editor -- the keys that edit the line of an Interface on a terminal.
//
// The line and the cursor belong to the interface (`face`), where programs see
// them.  The editor has what they do not see: the place in the history, what
// was deleted, and what can be undone.
'use strict';

const cursor = require('readline/cursor');
const { cellsOf } = require('util/text');

const process = () => require('program/process');

const LINE_END = /\r?\n|\r(?!\n)/;
const MOST_UNDONE = 2048, MOST_KILLED = 32;

// Keep surrogate pairs together.
const lengthBefore = (text, at) => at <= 0 ? 0
    : at > 1 && text.codePointAt(at - 2) > 0xffff ? 2 : 1;
const lengthAt = (text, at) => at >= text.length ? 1 : text.codePointAt(at) > 0xffff ? 2 : 1;

function commonPrefix(texts) {
    if (texts.length === 0)
        return '';
    const sorted = [...texts].sort(), first = sorted[0], last = sorted.at(-1);
    let at = 0;
    while (at < first.length && first[at] === last[at])
        at++;
    return first.slice(0, at);
}

class Editor {
    #face;
    #index = -1; // in the history
    #search = null; // what the lines of the history must begin with
    #hadTab = false;
    #undone = [];
    #undoable = [];
    #killed = [];
    #yankedAt = 0;
    #isYanking = false;

    constructor(face) {
        this.#face = face;
    }

    // ---- changes ----

    #remember() {
        this.#undoable.push({ line: this.#face.line, cursor: this.#face.cursor });
        if (this.#undoable.length > MOST_UNDONE)
            this.#undoable.shift();
    }

    #restore(from, to) {
        if (from.length === 0)
            return;
        to.push({ line: this.#face.line, cursor: this.#face.cursor });
        Object.assign(this.#face, from.pop());
        this.#face._refreshLine();
    }

    insert(text) {
        const face = this.#face;
        this.#remember();
        if (face.cursor < face.line.length) {
            face.line = face.line.slice(0, face.cursor) + text + face.line.slice(face.cursor);
            face.cursor += text.length;
            face._refreshLine();
            return;
        }
        const before = face.getCursorPos();
        face.line += text;
        face.cursor += text.length;
        // The terminal itself wraps what is pasted.
        if (face.isCompletionEnabled && before.rows < face.getCursorPos().rows)
            face._refreshLine();
        else
            face._writeToOutput(text);
    }

    // Delete between two places; the cursor is then at the first.
    #delete(from, to, isKill = false) {
        const face = this.#face;
        this.#remember();
        const deleted = face.line.slice(from, to);
        face.line = face.line.slice(0, from) + face.line.slice(to);
        face.cursor = from;
        if (isKill)
            this.#kill(deleted);
        face._refreshLine();
    }

    #kill(text) {
        if (!text || text === this.#killed[0])
            return;
        this.#killed.unshift(text);
        this.#yankedAt = 0;
        this.#killed.length = Math.min(this.#killed.length, MOST_KILLED);
    }

    #yank() {
        if (this.#killed.length > 0) {
            this.#isYanking = true;
            this.insert(this.#killed[this.#yankedAt]);
        }
    }

    // Replace what was inserted by what was deleted before it.
    #yankBefore() {
        const face = this.#face;
        if (!this.#isYanking || this.#killed.length <= 1)
            return;
        const last = this.#killed[this.#yankedAt];
        this.#yankedAt = (this.#yankedAt + 1) % this.#killed.length;
        const next = this.#killed[this.#yankedAt];
        const start = face.line.slice(0, face.cursor - last.length);
        face.line = start + next + face.line.slice(face.cursor);
        face.cursor = start.length + next.length;
        face._refreshLine();
    }

    // ---- the cursor ----

    #move(by) {
        const face = this.#face;
        if (by === 0)
            return;
        const before = face.getCursorPos();
        face.cursor = Math.max(0, Math.min(face.line.length, face.cursor + by));
        const after = face.getCursorPos();
        if (before.rows === after.rows)
            cursor.moveCursor(face.output, after.cols - before.cols, 0);
        else
            face._refreshLine();
    }

    #wordBefore() {
        const { line, cursor: at } = this.#face;
        const reversed = [...line.slice(0, at)].reverse().join('');
        return /^\s*(?:[^\w\s]+|\w+)?/.exec(reversed)[0].length;
    }

    #wordAfter(pattern) {
        const { line, cursor: at } = this.#face;
        return pattern.exec(line.slice(at))?.[0].length ?? 0;
    }

    // ---- the history ----

    #addToHistory() {
        const face = this.#face, { line, history } = face;
        if (line.trim().length === 0 || !history || face.historySize === 0)
            return line;
        if (history.length === 0 || history[0] !== line) {
            if (face.removeHistoryDuplicates) {
                const at = history.indexOf(line);
                if (at !== -1)
                    history.splice(at, 1);
            }
            history.unshift(line);
            if (history.length > face.historySize)
                history.pop();
        }
        this.#index = -1;
        const kept = history[0]; // a listener may change it
        face.emit('history', history);
        return kept;
    }

    #fromHistory(step) {
        const face = this.#face, { history } = face, search = this.#search || '';
        if (step < 0 ? this.#index < 0 : this.#index >= history.length || history.length === 0)
            return;
        this.#remember();
        let at = this.#index + step;
        while (at >= 0 && at < history.length &&
            (!history[at].startsWith(search) || face.line === history[at]))
            at += step;
        face.line = at < 0 || at === history.length ? search : history[at];
        this.#index = at;
        face.cursor = face.line.length;
        face._refreshLine();
    }

    #noteSearch(key) {
        const isVertical = key.name === 'up' || key.name === 'down' ||
            (key.ctrl && (key.name === 'p' || key.name === 'n'));
        if (isVertical && !key.meta && !key.shift) {
            this.#search ??= this.#face.line.slice(0, this.#face.cursor);
        } else if (this.#search !== null) {
            this.#search = null;
            if (this.#face.history.length === this.#index)
                this.#index = -1;
        }
    }

    // ---- the end of a line ----

    moveToEnd() { this.#move(Infinity); }

    finish() {
        const line = this.#addToHistory();
        this.#undoable = [];
        this.#undone = [];
        this.#face.clearLine();
        this.#face._onLine(line);
    }

    // ---- completion ----

    #complete(wasTab) {
        const face = this.#face;
        face.pause();
        face.completer(face.line.slice(0, face.cursor), (error, value) => {
            face.resume();
            if (error)
                face._writeToOutput(`Tab completion error: ${
                    require('util/inspect').inspect(error)}`);
            else
                this.#offer(wasTab, value);
        });
    }

    #offer(wasTab, [completions, on]) {
        const face = this.#face;
        if (!completions || completions.length === 0)
            return;
        const prefix = commonPrefix(completions.filter((one) => one !== ''));
        if (prefix.startsWith(on) && prefix.length > on.length) {
            this.insert(prefix.slice(on.length));
            return;
        }
        if (!on.startsWith(prefix)) {
            face.line = face.line.slice(0, face.cursor - on.length) + prefix +
                face.line.slice(face.cursor);
            face.cursor += prefix.length - on.length;
            face._refreshLine();
            return;
        }
        if (wasTab) {
            this.#remember();
            face._writeToOutput(this.#listed(completions));
            face._refreshLine();
        }
    }

    // In columns; an empty one is a separator.
    #listed(completions) {
        const cells = completions.map(cellsOf), width = Math.max(...cells) + 2;
        const perRow = Number.isFinite(this.#face.columns)
            ? Math.floor(this.#face.columns / width) || 1 : 1;
        let text = '\r\n', inRow = 0, gap = 0;
        completions.forEach((one, i) => {
            if (one === '' || inRow === perRow) {
                text += '\r\n';
                inRow = gap = 0;
            } else
                text += ' '.repeat(gap);
            if (one === '') {
                text += '\r\n';
                return;
            }
            text += one;
            gap = width - cells[i];
            inRow++;
        });
        return inRow === 0 ? text : `${text}\r\n\r\n`;
    }

    // ---- keys ----

    // A key with its modifiers, such as C-a, or M-b.
    #actions = {
        __proto__: null,
        'C-S-backspace': () => this.#delete(0, this.#face.cursor, true),
        'C-S-delete': () => this.#delete(this.#face.cursor, this.#face.line.length, true),
        'C-c': () => this.#interrupt(),
        'C-h': () => this.#actions.backspace(),
        'C-d': () => {
            const { cursor: at, line } = this.#face;
            if (at === 0 && line.length === 0)
                this.#face.close();
            else if (at < line.length)
                this.#actions.delete();
        },
        'C-u': () => this.#delete(0, this.#face.cursor, true),
        'C-k': () => this.#delete(this.#face.cursor, this.#face.line.length, true),
        'C-a': () => this.#move(-Infinity),
        'C-e': () => this.#move(Infinity),
        'C-b': () => this.#actions.left(),
        'C-f': () => this.#actions.right(),
        'C-l': () => {
            cursor.cursorTo(this.#face.output, 0, 0);
            cursor.clearScreenDown(this.#face.output);
            this.#face._refreshLine();
        },
        'C-n': () => this.#fromHistory(-1),
        'C-p': () => this.#fromHistory(1),
        'C-y': () => this.#yank(),
        'C-z': () => this.#suspend(),
        'C-w': () => this.#deleteWordBefore(),
        'C-backspace': () => this.#deleteWordBefore(),
        'C-delete': () => this.#deleteWordAfter(),
        'C-left': () => this.#move(-this.#wordBefore()),
        'C-right': () => this.#move(this.#wordAfter(/^(?:\s+|[^\w\s]+|\w+)\s*/)),
        'M-b': () => this.#move(-this.#wordBefore()),
        'M-f': () => this.#move(this.#wordAfter(/^(?:\s+|[^\w\s]+|\w+)\s*/)),
        'M-d': () => this.#deleteWordAfter(),
        'M-delete': () => this.#deleteWordAfter(),
        'M-backspace': () => this.#deleteWordBefore(),
        'M-y': () => this.#yankBefore(),
        return: () => {
            this.#face.noteReturn(true);
            this.finish();
        },
        enter: () => {
            if (!this.#face.isSecondHalf())
                this.finish();
        },
        backspace: () => {
            const { cursor: at, line } = this.#face;
            if (at > 0 && line.length > 0)
                this.#delete(at - lengthBefore(line, at), at);
        },
        delete: () => {
            const { cursor: at, line } = this.#face;
            if (at < line.length)
                this.#delete(at, at + lengthAt(line, at));
        },
        left: () => this.#move(-lengthBefore(this.#face.line, this.#face.cursor)),
        right: () => this.#move(lengthAt(this.#face.line, this.#face.cursor)),
        home: () => this.#move(-Infinity),
        end: () => this.#move(Infinity),
        up: () => this.#fromHistory(1),
        down: () => this.#fromHistory(-1),
    };

    #deleteWordBefore() {
        const { cursor: at } = this.#face;
        if (at > 0)
            this.#delete(at - this.#wordBefore(), at);
    }

    #deleteWordAfter() {
        const { cursor: at, line } = this.#face;
        if (at < line.length)
            this.#delete(at, at + this.#wordAfter(/^(?:\s+|\W+|\w+)\s*/));
    }

    #interrupt() {
        if (this.#face.listenerCount('SIGINT') > 0)
            this.#face.emit('SIGINT');
        else
            this.#face.close();
    }

    #suspend() {
        const face = this.#face;
        if (face.listenerCount('SIGTSTP') > 0) {
            face.emit('SIGTSTP');
            return;
        }
        process().once('SIGCONT', () => {
            if (!face.paused) { // a program that has paused it does not want keys
                face.pause();
                face.emit('SIGCONT');
            }
            face._setRawMode(true);
            face._refreshLine();
        });
        face._setRawMode(false);
        process().kill(process().pid, 'SIGTSTP');
    }

    #type(text) {
        const lines = text.split(LINE_END);
        lines.forEach((line, i) => {
            if (i > 0)
                this.finish();
            if (line !== '')
                this.insert(line);
        });
    }

    press(text, key) {
        key = key || {};
        if (!key.meta || key.name !== 'y')
            this.#isYanking = false;
        this.#noteSearch(key);
        if (typeof key.sequence === 'string' && key.sequence === '\x1f') {
            this.#restore(this.#undoable, this.#undone);
            return;
        }
        if (typeof key.sequence === 'string' && key.sequence === '\x1e') {
            this.#restore(this.#undone, this.#undoable);
            return;
        }
        if (key.name !== 'enter')
            this.#face.noteReturn(false);
        const wasTab = this.#hadTab;
        this.#hadTab = key.name === 'tab' && !key.ctrl && !key.meta;
        if (key.name === 'escape')
            return;
        if (this.#hadTab && typeof this.#face.completer === 'function' &&
            this.#face.isCompletionEnabled) {
            this.#complete(wasTab);
            return;
        }
        const modifiers = key.ctrl ? key.shift ? 'C-S-' : 'C-' : key.meta ? 'M-' : '';
        const action = this.#actions[modifiers + key.name];
        if (action !== undefined)
            action();
        else if (modifiers === '' && (typeof text === 'string' || ArrayBuffer.isView(text)))
            this.#type(typeof text === 'string' ? text
                : require('bytes/bytes').toText(text, 'utf8'));
    }
}

module.exports = { Editor };
