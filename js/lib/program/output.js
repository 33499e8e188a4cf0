// SPDX-License-Identifier: MIT
// output -- process.stdout and stderr: streams whose writes are complete when
// they return, as in Node on Linux, so that nothing is lost at exit.
'use strict';

const { Duplex, Writable } = require('stream/stream');
const { Buffer } = require('bytes/buffer');
const { nextTick } = require('timers/timers');
const { systemError } = require('program/stdio');

// 0 or a negative error.
function put(fd, chunk, encoding) {
    if (typeof chunk === 'string') {
        if (encoding === 'utf8' || encoding === 'utf-8')
            return native.write(fd, chunk.toWellFormed());
        chunk = Buffer.from(chunk, encoding);
    }
    return native.writeBytes(fd, chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function finish(err, done) {
    if (err === 0)
        done();
    else
        done(systemError(err, 'write'));
}

// A regular file, or a device.
class SyncWriteStream extends Writable {
    constructor(fd) {
        super({ autoDestroy: true });
        this.fd = fd;
        this.readable = false;
        this.autoClose = false;
    }
    _write(chunk, encoding, done) { finish(put(this.fd, chunk, encoding), done); }
}

// A pipe, a socket, or (program/tty) a terminal.  As in Node it is a Duplex that
// cannot be read.
class Output extends Duplex {
    #bytes = 0;

    constructor(fd) {
        super({ readable: false, decodeStrings: false, emitClose: false, autoDestroy: true });
        this.fd = fd;
        const handle = { fd, setBlocking: () => 0 };
        Object.defineProperty(this, '_handle',
            { value: handle, writable: true, configurable: true });
    }

    get bytesWritten() { return this.#bytes; }

    _write(chunk, encoding, done) {
        this.#bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding)
            : chunk.byteLength;
        finish(put(this.fd, chunk, encoding), done);
    }

    _read() {}
    ref() { return this; }
    unref() { return this; }
}

// As in Node it cannot be closed: it is as before when "close" was emitted.
function pretend(error, done) {
    done(error);
    this._undestroy();
    if (!this._writableState.emitClose)
        nextTick(() => this.emit('close'));
}

function make(fd) {
    const kind = native.kindOf(fd);
    let stream;
    if (kind === 'tty')
        stream = new (require('program/tty').WriteStream)(fd);
    else if (kind === 'file')
        stream = new SyncWriteStream(fd);
    else if (kind === 'pipe')
        stream = new Output(fd);
    else // closed, or something that Node does not know either
        stream = new Writable({ write(chunk, encoding, done) { done(); } });
    stream._type = { tty: 'tty', file: 'fs', pipe: 'pipe' }[kind];
    stream.fd = fd;
    stream._isStdio = true;
    stream.destroySoon = stream.destroy;
    stream._destroy = pretend;
    if (kind === 'tty')
        require('program/process').on('SIGWINCH', () => stream._refreshSize());
    return stream;
}

module.exports = { make, Output };
