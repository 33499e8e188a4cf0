// SPDX-License-Identifier: MIT
// input -- process.stdin: a pipe, a socket or a terminal, which is read when the
// loop finds it readable; or a file, which fs.ReadStream reads on the pool.
//
// Nothing is read before it is wanted, or while the stream is paused.  A stream
// that is not being read does not keep the program alive.
'use strict';

const { bind } = require('core/context');
const { Duplex, Readable } = require('stream/stream');
const { nextTick, setImmediate } = require('timers/timers');
const { systemError } = require('program/stdio');
const { readNew, now } = require('fs/ops');

const SIZE = 65536;

class Input extends Duplex {
    #isWatched = false;
    #isRef = true;
    #bytes = 0;

    constructor(fd, options) {
        super({ ...options, writable: false, emitClose: false, autoDestroy: true });
        this.fd = fd;
    }

    get bytesRead() { return this.#bytes; }

    _read() {
        if (this.#isWatched)
            return;
        this.#isWatched = native.watch(this.fd, bind(() => this.#onReadable()));
        if (!this.#isWatched)
            this.push(null);
        else if (!this.#isRef)
            native.unref(this.fd);
    }

    #stop() {
        if (this.#isWatched)
            native.unwatch(this.fd);
        this.#isWatched = false;
    }

    #onReadable() {
        let chunk;
        try {
            chunk = now(readNew(this.fd, SIZE));
        } catch (error) {
            this.#fail(error);
            return;
        }
        this.#bytes += chunk.length;
        if (chunk.length === 0 || !this.push(chunk))
            this.#stop();
        if (chunk.length === 0)
            this.push(null);
    }

    #fail(error) {
        if (error.code === 'EAGAIN')
            return;
        this.#stop();
        // A terminal whose other end is closed reports that as an error.
        if (error.code === 'EIO' && this.isTTY)
            this.push(null);
        else
            this.destroy(systemError(error.errno, 'read'));
    }

    // A paused stream is not read, so that it does not keep the program alive.
    stopReading() {
        if (!this.#isWatched)
            return;
        this._readableState.reading = false;
        this.#stop();
    }

    _write(chunk, encoding, done) { done(); }

    // "close" comes when Node would close a handle: at the end of the turn.
    _destroy(error, done) {
        this.#stop();
        setImmediate(() => {
            done(error);
            nextTick(() => this.emit('close', Boolean(error)));
        });
    }

    ref() {
        this.#isRef = true;
        native.ref(this.fd);
        return this;
    }
    unref() {
        this.#isRef = false;
        native.unref(this.fd);
        return this;
    }
}

function make(fd) {
    const kind = native.kindOf(fd);
    if (kind === 'file') {
        const stream = new (require('fs/streams').ReadStream)(null, { fd, autoClose: false });
        stream.fd = fd;
        return stream;
    }
    if (kind !== 'tty' && kind !== 'pipe') {
        const stream = new Readable({ read() {} });
        stream.push(null);
        stream.fd = fd;
        return stream;
    }
    const stream = kind === 'tty' ? new (require('program/tty').ReadStream)(fd)
        : new Input(fd);
    const stop = Input.prototype.stopReading.bind(stream);
    stream.on('pause', () => nextTick(stop));
    return stream;
}

module.exports = { make, Input };
