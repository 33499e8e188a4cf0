// SPDX-License-Identifier: MIT
// readline/cursor -- move the cursor of a terminal, and clear parts of it.
'use strict';

const { checkFunction, checkInteger, coded, invalidArgType, invalidArgValue } =
    require('core/errors');

const clearBefore = '\x1b[1K', clearAfter = '\x1b[0K', clearAll = '\x1b[2K';
const clearDown = '\x1b[0J';

// Write unless there is nothing to write, or nowhere to write it.
function send(stream, text, callback) {
    if (callback !== undefined)
        checkFunction(callback, 'callback');
    if (stream !== null && stream !== undefined && text !== '')
        return stream.write(text, callback);
    if (typeof callback === 'function')
        require('program/process').nextTick(callback, null);
    return true;
}

function positionText(x, y) {
    if (Number.isNaN(x))
        throw invalidArgValue('x', x);
    if (Number.isNaN(y))
        throw invalidArgValue('y', y);
    if (typeof x !== 'number' && typeof y === 'number')
        throw coded(TypeError, 'ERR_INVALID_CURSOR_POS',
            'Cannot set cursor row without setting its column');
    if (typeof x !== 'number')
        return '';
    return typeof y === 'number' ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`;
}

function movementText(dx, dy) {
    return (dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : '') +
        (dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : '');
}

const lineText = (direction) =>
    direction < 0 ? clearBefore : direction > 0 ? clearAfter : clearAll;

function cursorTo(stream, x, y, callback) {
    if (callback !== undefined)
        checkFunction(callback, 'callback');
    if (typeof y === 'function')
        [y, callback] = [undefined, y];
    return send(stream, positionText(x, y), callback);
}

const moveCursor = (stream, dx, dy, callback) => send(stream, movementText(dx, dy), callback);
const clearLine = (stream, direction, callback) =>
    send(stream, lineText(direction), callback);
const clearScreenDown = (stream, callback) => send(stream, clearDown, callback);

// ---- Readline of readline/promises: the same, in transactions ----

class Readline {
    #autoCommit = false;
    #stream;
    #todo = [];

    constructor(stream, options = undefined) {
        const isWritable = stream !== null && typeof stream === 'object' &&
            typeof stream.write === 'function' && typeof stream.on === 'function';
        if (!isWritable)
            throw invalidArgType('stream', 'an instance of Writable', stream);
        this.#stream = stream;
        if (options?.autoCommit !== undefined && options.autoCommit !== null) {
            if (typeof options.autoCommit !== 'boolean')
                throw invalidArgType('options.autoCommit', 'of type boolean',
                    options.autoCommit);
            this.#autoCommit = options.autoCommit;
        }
    }

    #add(text) {
        if (this.#autoCommit)
            require('program/process').nextTick(() => this.#stream.write(text));
        else
            this.#todo.push(text);
        return this;
    }

    cursorTo(x, y = undefined) {
        checkInteger(x, 'x', Number.MIN_SAFE_INTEGER);
        if (y !== undefined && y !== null)
            checkInteger(y, 'y', Number.MIN_SAFE_INTEGER);
        return this.#add(positionText(x, y ?? undefined));
    }

    moveCursor(dx, dy) {
        if (dx || dy) {
            checkInteger(dx, 'dx', Number.MIN_SAFE_INTEGER);
            checkInteger(dy, 'dy', Number.MIN_SAFE_INTEGER);
            this.#add(movementText(dx, dy));
        }
        return this;
    }

    clearLine(direction) {
        checkInteger(direction, 'dir', -1, 1);
        return this.#add(lineText(direction));
    }

    clearScreenDown() { return this.#add(clearDown); }

    commit() {
        return new Promise((resolve) => {
            this.#stream.write(this.#todo.join(''), resolve);
            this.#todo = [];
        });
    }

    rollback() {
        this.#todo = [];
        return this;
    }
}

module.exports = { cursorTo, moveCursor, clearLine, clearScreenDown, Readline };
