// SPDX-License-Identifier: MIT
// stdio -- process.stdout and stderr: streams whose writes are complete when
// they return, as in Node on Linux, so that nothing is lost at exit.
'use strict';

const EventEmitter = require('events/events');
const { coded, invalidArgType, unknownEncoding } = require('core/errors');
const { nextTick } = require('timers/timers');

// The callback of console: its first error is ignored unless there is a
// listener.
function ignore() {}

function systemError(err, syscall) {
    try {
        native.fail(err, syscall);
    } catch (error) {
        error.message = `${syscall} ${error.code}`; // as Node's streams word it
        return error;
    }
    return undefined;
}

class WriteStream extends EventEmitter {
    #isEnded = false;
    #isFinished = false;
    #error = null;
    #isTold = false; // the last error was reported
    #corked = 0;
    #encoding = 'utf8';

    constructor(fd) {
        super();
        this.fd = fd;
        this._isStdio = true;
        this._type = native.isTTY(fd) ? 'tty' : 'pipe';
    }

    get writable() { return !this.#isEnded && this.#error === null; }
    get writableEnded() { return this.#isEnded; }
    get writableFinished() { return this.#isFinished; }
    get writableLength() { return 0; }
    get writableHighWaterMark() { return 16384; }
    get writableNeedDrain() { return false; }
    get writableObjectMode() { return false; }
    get writableCorked() { return this.#corked; }
    get destroyed() { return false; }
    get closed() { return false; }
    get errored() { return this.#error; }

    #put(chunk, encoding) {
        if (typeof chunk === 'string')
            chunk = require('bytes/bytes').fromText(chunk, encoding);
        return typeof chunk === 'string' ? native.write(this.fd, chunk)
            : native.writeBytes(this.fd, chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }

    // Report an error on the next tick: first to the callbacks, then once to
    // the listeners for all failures since the last tick.  As in Node, that
    // ends a program that keeps printing for a reader that is gone.
    #fail(error, done) {
        this.#error ??= error;
        nextTick(() => {
            if (done === ignore && !this.#isTold && this.listenerCount('error') === 0)
                this.once('error', ignore);
            done?.(error);
            this.#isTold = false;
            nextTick(() => this.#tell(error));
        });
        return false;
    }

    #tell(error) {
        if (this.#isTold)
            return;
        this.#isTold = true;
        this.emit('error', error);
    }

    write(chunk, encoding, done) {
        if (typeof encoding === 'function')
            [encoding, done] = [undefined, encoding];
        encoding ??= this.#encoding;
        // Skip the checks in the common case.
        const isPlain = typeof chunk === 'string' && encoding === 'utf8';
        if (chunk === null)
            throw coded(TypeError, 'ERR_STREAM_NULL_VALUES',
                'May not write null values to stream');
        if (typeof chunk !== 'string' && !ArrayBuffer.isView(chunk))
            throw invalidArgType('chunk', 'of type string or an instance of Buffer, ' +
                'TypedArray, or DataView', chunk);
        if (!isPlain && typeof chunk === 'string' && encoding !== 'buffer' &&
            !require('bytes/bytes').isEncoding(encoding))
            throw unknownEncoding(encoding);
        if (this.#isEnded)
            return this.#fail(coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end'),
                done);
        const err = isPlain ? native.write(this.fd, chunk.toWellFormed())
            : this.#put(chunk, encoding);
        if (err !== 0)
            return this.#fail(systemError(err, 'write'), done);
        if (done !== undefined && done !== null && done !== ignore)
            nextTick(done, null);
        return true;
    }

    end(chunk, encoding, done) {
        if (typeof chunk === 'function')
            [chunk, encoding, done] = [undefined, undefined, chunk];
        else if (typeof encoding === 'function')
            [encoding, done] = [undefined, encoding];
        if (chunk !== undefined && chunk !== null)
            this.write(chunk, encoding);
        if (this.#isEnded)
            return this;
        this.#isEnded = true;
        nextTick(() => {
            if (this.#error === null) {
                this.#isFinished = true;
                this.emit('finish');
            }
            done?.(this.#error);
        });
        return this;
    }

    setDefaultEncoding(encoding) {
        if (!require('bytes/bytes').isEncoding(encoding))
            throw unknownEncoding(encoding);
        this.#encoding = encoding;
        return this;
    }

    cork() { this.#corked++; } // no effect: writes are complete already
    uncork() { this.#corked = Math.max(0, this.#corked - 1); }
    destroy() { return this; } // as in Node, it cannot be closed
    destroySoon() { return this; }
}

// A terminal has a size and cursor movements.
class TerminalStream extends WriteStream {
    isTTY = true;

    constructor(fd) {
        super(fd);
        this.on('newListener', (name) => {
            if (name === 'resize' && this.listenerCount('resize') === 0)
                require('program/process').on('SIGWINCH', () => this.emit('resize'));
        });
    }

    getWindowSize() { return native.windowSize(this.fd) ?? [80, 24]; }
    get columns() { return this.getWindowSize()[0]; }
    get rows() { return this.getWindowSize()[1]; }
    cursorTo(x, y, done) {
        if (typeof y === 'function')
            [y, done] = [undefined, y];
        return this.write(y === undefined ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`, done);
    }
    moveCursor(dx, dy, done) {
        const across = dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : '';
        const down = dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : '';
        return this.write(across + down, done);
    }
    clearLine(direction, done) {
        return this.write(direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K', done);
    }
    clearScreenDown(done) { return this.write('\x1b[0J', done); }
}

module.exports = {
    ignore, systemError, isTTY: native.isTTY,
    output: (fd) => native.isTTY(fd) ? new TerminalStream(fd) : new WriteStream(fd),
    input: (fd) => require('program/stdin')(fd),
};
