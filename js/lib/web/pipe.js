// SPDX-License-Identifier: MIT
// pipe -- pipeTo: chunks go from a readable to a writable stream without a
// promise for each of them.
//
// A chunk that is queued is written at once; one that the source enqueues while
// the pipe waits is written in a job of its own, since enqueue() must not call
// the sink.
'use strict';

const { fulfilled, invalidState, later, newPromise, nothing, react, rejected } =
    require('web/base');
const { DEFAULT, cancelStream, closedOf: readerClosed, lock, read, release } =
    require('web/readablestate');
const { abortStream, closeStream, closedOf: writerClosed, isClosing, lockWritable } =
    require('web/writable');
const { desiredSize, release: releaseWriter, write } = require('web/writer');

class Pipe {
    isShuttingDown = false;
    isReading = false; // a request waits in the source
    pending = 0; // writes that have not ended
    onWritten = null; // what shutdown waits for
    held = undefined; // a chunk that the source has just enqueued
    isChunkHeld = false;

    constructor(source, dest, { preventClose, preventAbort, preventCancel, signal }) {
        this.source = source;
        this.dest = dest;
        this.preventClose = preventClose;
        this.preventAbort = preventAbort;
        this.preventCancel = preventCancel;
        this.signal = signal;
        this.done = newPromise();
        this.reader = lock(source, DEFAULT);
        this.writer = lockWritable(dest);
        this.writer.onReady = () => this.step();
        source.isDisturbed = true;
    }

    start() {
        const { source, dest, signal } = this;
        if (signal !== undefined) {
            this.onAbort = () => this.abort();
            if (signal.aborted) {
                this.abort();
                return this.done.promise;
            }
            signal.addEventListener('abort', this.onAbort);
        }
        this.watch(source, 'errored', readerClosed(this.reader), () => this.sourceErrored());
        this.watch(dest, 'errored', writerClosed(this.writer), () => this.destErrored());
        this.watch(source, 'closed', readerClosed(this.reader), () => this.sourceClosed());
        if (isClosing(dest) || dest.state === 'closed')
            this.destClosed();
        this.step();
        return this.done.promise;
    }

    // Call fn when the stream gets into that state: now, or a job later.
    watch(stream, state, closed, fn) {
        if (stream.state === state)
            fn();
        else if (state === 'closed')
            react(closed, fn, nothing);
        else
            react(closed, nothing, fn);
    }

    // ---- chunks ----

    step() {
        const { source, dest } = this;
        while (!this.isShuttingDown && !this.isReading && desiredSize(dest) > 0) {
            if (source.state !== 'readable')
                return; // the end is on its way
            if (source.controller.hasChunk()) {
                this.write(source.controller.take());
            } else {
                this.isReading = true;
                read(source, this);
            }
        }
    }

    // The pipe is its own read request, of which there is one at most.
    chunk(chunk) {
        this.held = chunk;
        later(writeHeld, this);
        this.pending++; // read, and not written yet
        this.isChunkHeld = true;
    }
    close() { this.isReading = false; }
    error() { this.isReading = false; }

    write(chunk) {
        if (this.isChunkHeld)
            this.isChunkHeld = false;
        else
            this.pending++;
        write(this.writer, chunk, new PipedWrite(this));
    }

    // A write has ended.
    settle() {
        if (this.pending === 0 && this.onWritten !== null) {
            const fn = this.onWritten;
            this.onWritten = null;
            later(fn);
        }
    }

    // ---- the ends ----

    sourceErrored() {
        const { dest, source } = this, { storedError } = source;
        this.shutdown(this.preventAbort ? null : () => abortStream(dest, storedError),
            true, storedError);
    }

    destErrored() {
        const { dest, source } = this, { storedError } = dest;
        this.shutdown(this.preventCancel ? null : () => cancelStream(source, storedError),
            true, storedError);
    }

    sourceClosed() {
        this.shutdown(this.preventClose ? null : () => this.closeDest(), false);
    }

    destClosed() {
        const { source } = this;
        const error = invalidState('Destination WritableStream is closed');
        this.shutdown(this.preventCancel ? null : () => cancelStream(source, error),
            true, error);
    }

    closeDest() {
        const { dest } = this;
        if (isClosing(dest) || dest.state === 'closed')
            return fulfilled(undefined);
        return dest.state === 'errored' ? rejected(dest.storedError)
            : closeStream(dest);
    }

    abort() {
        const { dest, signal, source } = this, { reason } = signal, actions = [];
        if (!this.preventAbort)
            actions.push(() => dest.state === 'writable' ? abortStream(dest, reason)
                : fulfilled(undefined));
        if (!this.preventCancel)
            actions.push(() => source.state === 'readable' ? cancelStream(source, reason)
                : fulfilled(undefined));
        this.shutdown(() => Promise.all(actions.map((action) => action())), true, reason);
    }

    // Wait for the writes, perform the action, and end the pipe.
    shutdown(action, isFailed, error) {
        if (this.isShuttingDown)
            return;
        this.isShuttingDown = true;
        const { dest } = this;
        const finish = () => {
            if (action === null)
                this.finalize(isFailed, error);
            else
                react(action(), () => this.finalize(isFailed, error),
                    (_, reason) => this.finalize(true, reason));
        };
        if (dest.state !== 'writable' || isClosing(dest)) {
            finish();
        } else {
            this.onWritten = finish;
            this.settle();
        }
    }

    finalize(isFailed, error) {
        releaseWriter(this.writer);
        release(this.reader);
        this.signal?.removeEventListener('abort', this.onAbort);
        if (isFailed)
            this.done.reject(error);
        else
            this.done.resolve(undefined);
    }
}

function writeHeld(pipe) {
    const chunk = pipe.held;
    pipe.held = undefined;
    pipe.isReading = false;
    if (pipe.writer.stream === null)
        return; // the destination has failed meanwhile, and the pipe has ended
    pipe.write(chunk);
    pipe.step();
    pipe.settle();
}

class PipedWrite {
    constructor(pipe) {
        this.pipe = pipe;
        this.next = null;
    }
    resolve() {
        this.pipe.pending--;
        if (this.pipe.onWritten !== null)
            this.pipe.settle();
    }
    reject() {
        this.resolve();
    }
}

function pipe(source, dest, options) {
    return new Pipe(source, dest, options).start();
}

module.exports = { pipe };
