// SPDX-License-Identifier: MIT
// workerstdio -- worker.stdin, stdout and stderr, and the worker's own
// process.stdin, stdout and stderr, connected by a port.
//
// A message is [name, chunks] from a writer, with null for its end, or [name]
// from a reader that wants more.  A writer waits for that before it writes
// again.
'use strict';

const { Readable, Writable } = require('stream/stream');
const { receiveMessageOnPort } = require('messages/messaging');

// One end of the port.  It keeps its thread alive only while a stream waits for
// the other end.
class End {
    #port;
    #streams = { __proto__: null };
    #early = { __proto__: null }; // lists of chunks for streams that do not exist yet
    #waiting = 0;

    constructor(port) {
        this.#port = port;
        port.on('message', (message) => this.#take(message));
        port.unref();
    }

    add(name, stream) {
        this.#streams[name] = stream;
        for (const chunks of this.#early[name] ?? [])
            stream.onChunks(chunks);
        delete this.#early[name];
        return stream;
    }
    send(...message) { this.#port.postMessage(message); }
    wait() {
        if (this.#waiting++ === 0)
            this.#port.ref();
    }
    proceed() {
        if (--this.#waiting === 0)
            this.#port.unref();
    }

    // A worker's stream exists from its first use on.
    #take([name, chunks]) {
        const stream = this.#streams[name];
        if (chunks === undefined)
            stream?.onWanted();
        else if (stream === undefined)
            (this.#early[name] ??= []).push(chunks);
        else
            stream.onChunks(chunks);
    }

    // Take what the other end has sent before it ended.
    drain() {
        for (;;) {
            const received = receiveMessageOnPort(this.#port);
            if (received === undefined)
                break;
            this.#take(received.message);
        }
    }

    close() { this.#port.close(); }
}

class ReadableWorkerStdio extends Readable {
    #end; #name; #isWaiting = false; #keepsAlive;

    constructor(end, name, keepsAlive) {
        super();
        this.#end = end;
        this.#name = name;
        this.#keepsAlive = keepsAlive;
    }

    _read() {
        if (this.#keepsAlive && !this.#isWaiting) {
            this.#isWaiting = true;
            this.#end.wait();
        }
        this.#end.send(this.#name);
    }

    #release() {
        if (this.#isWaiting)
            this.#end.proceed();
        this.#isWaiting = this.#keepsAlive = false;
    }

    onChunks(chunks) {
        if (chunks === null) {
            this.#release();
            this.push(null);
            return;
        }
        for (let i = 0; i < chunks.length; i++)
            this.push(chunks[i].chunk, chunks[i].encoding);
    }

    _destroy(error, done) {
        this.#release();
        done(error);
    }
}

class WritableWorkerStdio extends Writable {
    #end; #name; #done; #isOver = false;

    constructor(end, name) {
        super({ decodeStrings: false });
        this.#end = end;
        this.#name = name;
    }

    _writev(chunks, done) {
        this.#end.send(this.#name, chunks.map(({ chunk, encoding }) => ({ chunk, encoding })));
        if (this.#isOver) { // nobody will answer
            done();
            return;
        }
        this.#done = done;
        this.#end.wait();
    }

    _write(chunk, encoding, done) { this._writev([{ chunk, encoding }], done); }

    _final(done) {
        this.#end.send(this.#name, null);
        done();
    }

    // The thread is about to end: write all that is there, and do not wait.
    flush() {
        this.#isOver = true;
        this.onWanted();
    }

    onWanted() {
        const done = this.#done;
        if (done === undefined)
            return;
        this.#done = undefined;
        this.#end.proceed();
        done();
    }
}

// ---- the parent ----

// Returns {start, port, stdin, stdout, stderr, end()}: `start` and `port` are
// for the worker.
function forParent(options) {
    const { MessageChannel } = require('messages/messaging');
    const { port1, port2 } = new MessageChannel();
    const end = new End(port1);
    const names = ['stdout', 'stderr'].filter((name) => options[name]);
    const own = { port: port2, stdin: null };
    for (const name of ['stdout', 'stderr'])
        own[name] = end.add(name, new ReadableWorkerStdio(end, name, false));
    if (options.stdin)
        own.stdin = end.add('stdin', new WritableWorkerStdio(end, 'stdin'));
    own.start = { port: port2, stdin: Boolean(options.stdin), names };
    own.finish = () => {
        end.drain();
        for (const name of ['stdout', 'stderr'])
            if (!own[name].readableEnded && !own[name]._readableState.ended)
                own[name].push(null);
        own.stdin?.destroy();
        end.close();
    };
    return own;
}

// ---- the worker ----

let end; // of this thread, if its parent captures any of them
const outputs = [];

function ownEnd() {
    return end ??= new End(require('threads/thread').start.stdio.port);
}

function makeInput() {
    if (!require('threads/thread').start.stdio?.stdin) {
        const empty = new Readable({ read() {} });
        empty.push(null);
        return empty;
    }
    return ownEnd().add('stdin', new ReadableWorkerStdio(ownEnd(), 'stdin', true));
}

function makeOutput(name) {
    const stream = ownEnd().add(name, new WritableWorkerStdio(ownEnd(), name));
    outputs.push(stream);
    return stream;
}

// Called when the thread exits.
function flush() {
    for (const stream of outputs)
        stream.flush();
}

module.exports = { forParent, makeInput, makeOutput, flush };
