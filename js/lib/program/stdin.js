// SPDX-License-Identifier: MIT
// stdin -- process.stdin, read when the loop finds it readable, or on the pool
// where that cannot be known (for a file).
//
// Nothing is read before it is wanted, or while the stream is paused.  A stream
// that is not being read does not keep the program alive.
'use strict';

const EventEmitter = require('events/events');
const { nextTick, setImmediate } = require('timers/timers');
const { systemError } = require('program/stdio');
const { toBuffer, newDecoder, isEncoding } = require('bytes/bytes');
const { ops, now, later } = require('fs/ops');
const { unknownEncoding } = require('core/errors');

const SIZE = 65536, FULL = 65536;

class ReadStream extends EventEmitter {
    #chunks = []; // read but not consumed
    #length = 0;
    #flowing = null; // null: not decided
    #isPulling = false; // 'readable' has listeners
    #source = null; // 'loop' or 'pool' while it reads
    #isReading = false; // on the pool, now
    #isFile = false;
    #isRef = true;
    #isOver = false; // everything was read
    #hasEnded = false; // 'end' was emitted
    #isDestroyed = false;
    #error = null;
    #decoder = null;
    #isResuming = false;
    #isTelling = false;
    #targets = new Map();

    constructor(fd) {
        super();
        this.fd = fd;
        this.isRaw = false;
        if (native.isTTY(fd))
            this.isTTY = true;
    }

    get readable() { return !this.#isDestroyed && !this.#hasEnded && this.#error === null; }
    get readableFlowing() { return this.#flowing; }
    get readableEnded() { return this.#hasEnded; }
    get readableLength() { return this.#length; }
    get readableHighWaterMark() { return FULL; }
    get readableEncoding() { return this.#decoder?.encoding ?? null; }
    get readableObjectMode() { return false; }
    get destroyed() { return this.#isDestroyed; }
    get closed() { return this.#isDestroyed; }
    get errored() { return this.#error; }

    // ---- the descriptor ----

    #start() {
        if (this.#source !== null || this.#isOver || this.#isDestroyed)
            return;
        if (this.fd < 0) {
            this.#take(0);
            return;
        }
        const isWatched = native.watch(this.fd, () => this.#onReadable());
        this.#source = isWatched ? 'loop' : 'pool';
        this.#isFile = !isWatched;
        if (!isWatched)
            this.#readOnPool();
        else if (!this.#isRef)
            native.unref(this.fd);
    }

    #stop() {
        if (this.#source === 'loop')
            native.unwatch(this.fd);
        this.#source = null;
    }

    #onReadable() {
        const bytes = new Uint8Array(SIZE);
        let count;
        try {
            count = now(ops.read(this.fd, bytes));
        } catch (error) {
            if (error.code !== 'EAGAIN')
                // A terminal whose other end is closed reports that as an
                // error.
                this.#take(error.code === 'EIO' && this.isTTY ? 0 : error);
            return;
        }
        this.#take(count === 0 ? 0 : toBuffer(bytes.buffer.slice(0, count)));
    }

    #readOnPool() {
        if (this.#isReading)
            return;
        this.#isReading = true;
        const bytes = new Uint8Array(SIZE);
        const done = (result) => {
            this.#isReading = false;
            this.#take(result);
            if (this.#source === 'pool' && !this.#isOver)
                this.#readOnPool();
        };
        later(ops.read(this.fd, bytes), (count) =>
            done(count === 0 ? 0 : toBuffer(bytes.buffer.slice(0, count))), done);
    }

    // Bytes, 0 for the end, or an error.
    #take(what) {
        if (what instanceof Uint8Array) {
            this.#push(what);
            return;
        }
        this.#stop();
        if (what !== 0) {
            this.destroy(systemError(what.errno, 'read'));
            return;
        }
        const rest = this.#decoder?.end();
        if (rest)
            this.#push(rest);
        this.#isOver = true;
        this.#isPulling ? this.#tell() : this.#finish();
    }

    #push(chunk) {
        if (typeof chunk !== 'string' && this.#decoder !== null)
            chunk = this.#decoder.write(chunk);
        if (chunk.length === 0)
            return;
        if (this.#flowing && this.#length === 0) {
            this.emit('data', chunk);
            return;
        }
        this.#chunks.push(chunk);
        this.#length += chunk.length;
        if (this.#length >= FULL || this.#flowing === false && !this.#isPulling)
            this.#stop();
        if (this.#isPulling)
            this.#tell();
    }

    #tell() {
        if (this.#isTelling)
            return;
        this.#isTelling = true;
        nextTick(() => {
            this.#isTelling = false;
            if (!this.#isDestroyed && this.#isPulling && (this.#length > 0 || this.#isOver))
                this.emit('readable');
            this.#flow();
        });
    }

    #finish() {
        if (!this.#isOver || this.#length > 0 || this.#hasEnded || this.#isDestroyed)
            return;
        this.#hasEnded = true;
        nextTick(() => {
            this.emit('end');
            if (!this.#isFile)
                this.destroy(); // Node leaves a file open
        });
    }

    #flow() {
        while (this.#flowing && this.#length > 0 && !this.#isDestroyed)
            this.emit('data', this.read());
        if (this.#flowing)
            this.#finish();
        if (this.#flowing)
            this.#start();
    }

    // ---- Node's Readable ----

    read(count) {
        if (this.#flowing === null && !this.#isPulling)
            this.#start();
        if (this.#length === 0 || count === 0) {
            if (this.#length === 0)
                this.#finish();
            return null;
        }
        let chunk;
        if (count === undefined || Number.isNaN(count)) {
            chunk = this.#flowing ? this.#chunks.shift() : this.#join(this.#length);
        } else if (count > this.#length) {
            if (!this.#isOver)
                return null;
            chunk = this.#join(this.#length);
        } else {
            chunk = this.#join(count);
        }
        this.#length = this.#chunks.reduce((sum, { length }) => sum + length, 0);
        if (this.#isPulling && !this.#isOver)
            this.#start();
        if (this.#length === 0)
            this.#finish();
        return chunk;
    }

    // The first characters or bytes of what is there.
    #join(count) {
        const isText = typeof this.#chunks[0] === 'string';
        const all = isText ? this.#chunks.join('') : toBuffer(concatenate(this.#chunks));
        this.#chunks = all.length > count ? [all.slice(count)] : [];
        return all.length > count ? all.slice(0, count) : all;
    }

    on(name, listener) {
        super.on(name, listener);
        if (name === 'data' && this.#flowing !== false && !this.#isPulling)
            this.resume();
        if (name === 'readable' && !this.#isPulling) {
            this.#isPulling = true;
            this.#flowing = false;
            if (this.#length > 0 || this.#isOver)
                this.#tell();
            nextTick(() => this.#isPulling && this.#start());
        }
        return this;
    }
    addListener(name, listener) { return this.on(name, listener); }

    removeListener(name, listener) {
        super.removeListener(name, listener);
        if (name === 'readable' && this.listenerCount('readable') === 0) {
            this.#isPulling = false;
            if (this.listenerCount('data') > 0)
                this.resume();
            else
                this.#stop();
        }
        return this;
    }
    off(name, listener) { return this.removeListener(name, listener); }

    resume() {
        if (this.#flowing)
            return this;
        this.#flowing = !this.#isPulling;
        if (this.#isResuming)
            return this;
        this.#isResuming = true;
        nextTick(() => {
            this.#isResuming = false;
            this.emit('resume');
            this.#flow();
        });
        return this;
    }

    pause() {
        if (this.#flowing !== false) {
            this.#flowing = false;
            this.emit('pause');
        }
        if (!this.#isPulling)
            this.#stop();
        return this;
    }

    isPaused() { return this.#flowing === false && !this.#isPulling; }

    setEncoding(encoding = 'utf8') {
        if (!isEncoding(encoding))
            throw unknownEncoding(encoding);
        this.#decoder = newDecoder(encoding);
        this.#chunks = this.#chunks.map((chunk) => this.#decoder.write(chunk))
            .filter((text) => text !== '');
        this.#length = this.#chunks.reduce((sum, { length }) => sum + length, 0);
        return this;
    }

    pipe(target, options) {
        const onData = (chunk) => {
            if (target.write(chunk) === false) {
                this.pause();
                target.once('drain', onDrain);
            }
        };
        const onDrain = () => this.resume();
        const { stdout, stderr } = require('program/process');
        const onEnd = () => target.end();
        const doesEnd = options?.end !== false && target !== stdout && target !== stderr;
        this.#targets.set(target, () => {
            super.removeListener('data', onData);
            super.removeListener('end', onEnd);
            target.removeListener('drain', onDrain);
            target.emit('unpipe', this, { hasUnpiped: false });
        });
        if (doesEnd)
            this.once('end', onEnd);
        target.emit('pipe', this);
        this.on('data', onData);
        return target;
    }

    unpipe(target) {
        for (const one of target === undefined ? [...this.#targets.keys()] : [target]) {
            this.#targets.get(one)?.();
            this.#targets.delete(one);
        }
        if (this.#targets.size === 0)
            this.pause();
        return this;
    }

    destroy(error) {
        if (this.#isDestroyed)
            return this;
        this.#isDestroyed = true;
        this.#stop();
        if (error)
            this.#error = error;
        // When Node would close a handle: at the end of the turn.
        setImmediate(() => {
            if (error)
                this.emit('error', error);
            this.emit('close');
        });
        return this;
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

    setRawMode(isRaw) {
        if (!this.isTTY)
            throw new TypeError('process.stdin.setRawMode is not a function');
        const err = native.setRaw(this.fd, Number(Boolean(isRaw)));
        if (err !== 0)
            this.emit('error', systemError(err, 'setRawMode'));
        else
            this.isRaw = Boolean(isRaw);
        return this;
    }

    async* [Symbol.asyncIterator]() {
        let wake = () => {}, isDone = false, failure = null;
        const listeners = {
            readable: () => wake(), end: () => { isDone = true; wake(); },
            error: (error) => { failure = error; wake(); },
            close: () => { isDone = true; wake(); },
        };
        for (const [name, listener] of Object.entries(listeners))
            this.on(name, listener);
        try {
            for (;;) {
                const chunk = this.#isDestroyed ? null : this.read();
                if (chunk !== null)
                    yield chunk;
                else if (failure !== null)
                    throw failure;
                else if (isDone || this.#hasEnded && this.#isDestroyed)
                    return;
                else
                    await new Promise((resolve) => { wake = resolve; });
            }
        } finally {
            for (const [name, listener] of Object.entries(listeners))
                this.removeListener(name, listener);
            if (!isDone)
                this.destroy();
        }
    }
}

function concatenate(chunks) {
    const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
        all.set(chunk, at);
        at += chunk.length;
    }
    return all.buffer;
}

module.exports = (fd) => new ReadStream(fd);
