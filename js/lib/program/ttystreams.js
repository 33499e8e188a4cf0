// SPDX-License-Identifier: MIT
// ttystreams -- tty.ReadStream and tty.WriteStream.
'use strict';

const { Input } = require('program/input');
const { Output } = require('program/output');
const { systemError } = require('program/stdio');
const { coded, systemError: wrapped } = require('core/errors');

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

    cursorTo(x, y, done) { return require('readline/cursor').cursorTo(this, x, y, done); }
    moveCursor(dx, dy, done) {
        return require('readline/cursor').moveCursor(this, dx, dy, done);
    }
    clearLine(direction, done) {
        return require('readline/cursor').clearLine(this, direction, done);
    }
    clearScreenDown(done) { return require('readline/cursor').clearScreenDown(this, done); }
}

module.exports = { ReadStream, WriteStream };
