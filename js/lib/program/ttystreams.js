// SPDX-License-Identifier: MIT
// ttystreams -- tty.ReadStream and tty.WriteStream.
'use strict';

const { Input } = require('program/input');
const { Output } = require('program/output');
const { systemError } = require('program/stdio');
const { coded, systemError: wrapped } = require('core/errors');
const { validateFunction } = require('stream/check');
const { nextTick } = require('timers/timers');

function check(fd) {
    if (!Number.isInteger(fd) || fd < 0 || fd > 0x7FFFFFFF)
        throw coded(RangeError, 'ERR_INVALID_FD',
            `"fd" must be a positive integer: ${String(fd)}`);
    if (!native.isTTY(fd))
        throw wrapped('ERR_TTY_INIT_FAILED', 'TTY initialization failed', { errno: -22,
            code: 'EINVAL', message: 'invalid argument', syscall: 'uv_tty_init' });
}

class ReadStream extends Input {
    constructor(fd, options) {
        check(fd);
        // Nothing is read ahead: a paused terminal does not keep the program
        // alive.
        super(fd, { highWaterMark: 0, ...options });
        this.isRaw = false;
        this.isTTY = true;
    }

    setRawMode(isRaw) {
        const err = native.setRaw(this.fd, Number(Boolean(isRaw)));
        if (err !== 0)
            this.emit('error', systemError(err, 'setRawMode'));
        else
            this.isRaw = Boolean(isRaw);
        return this;
    }
}

// As the functions of readline: write unless the callback is not one.
function send(stream, text, done) {
    if (done !== undefined)
        validateFunction(done, 'callback');
    if (text === '') {
        if (typeof done === 'function')
            nextTick(done, null);
        return true;
    }
    return stream.write(text, done);
}

class WriteStream extends Output {
    constructor(fd) {
        check(fd);
        super(fd);
        this.isTTY = true;
        [this.columns, this.rows] = this.#size();
    }

    #size() { return native.windowSize(this.fd) ?? [80, 24]; }

    _refreshSize() {
        const { columns, rows } = this;
        [this.columns, this.rows] = this.#size();
        if (columns !== this.columns || rows !== this.rows)
            this.emit('resize');
    }

    getWindowSize() { return [this.columns, this.rows]; }
    getColorDepth(env) { return require('program/colordepth').getColorDepth(env); }
    hasColors(count, env) { return require('program/colordepth').hasColors(count, env); }

    cursorTo(x, y, done) {
        if (typeof y === 'function')
            [y, done] = [undefined, y];
        if (done !== undefined)
            validateFunction(done, 'callback');
        for (const [name, value] of Object.entries({ x, y }))
            if (Number.isNaN(value))
                throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
                    `The argument '${name}' is invalid. Received NaN`);
        if (typeof x !== 'number' && typeof y === 'number')
            throw coded(TypeError, 'ERR_INVALID_CURSOR_POS',
                'Cannot set cursor row without setting its column');
        if (typeof x !== 'number')
            return send(this, '', done);
        return send(this, typeof y === 'number' ? `\x1b[${y + 1};${x + 1}H`
            : `\x1b[${x + 1}G`, done);
    }

    moveCursor(dx, dy, done) {
        const across = dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : '';
        const down = dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : '';
        return send(this, across + down, done);
    }

    clearLine(direction, done) {
        return send(this, direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K',
            done);
    }

    clearScreenDown(done) { return send(this, '\x1b[0J', done); }
}

module.exports = { ReadStream, WriteStream };
