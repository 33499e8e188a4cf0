// SPDX-License-Identifier: MIT
// stdio -- what console writes to until a program asks for process.stdout or
// process.stderr, so that printing does not load the streams.
'use strict';

const hooks = require('core/hooks');

// An error of the system, in the words of Node's streams.
function systemError(err, syscall) {
    try {
        native.fail(err, syscall);
    } catch (error) {
        error.message = `${syscall} ${error.code}`;
        error.stack = `Error: ${error.message}${error.stack.slice(error.stack.indexOf('\n'))}`;
        return error;
    }
    return undefined;
}

function ignore() {}

// console ignores the first error of a stream, unless there is a listener.  One
// that comes later ends the program, if it keeps printing.
function ignoreFirst(stream) {
    if (stream.listenerCount('error') === 0)
        stream.once('error', ignore);
}

// Stream -> the callback of its writes
const callbacks = new WeakMap();

function callbackOf(stream) {
    let callback = callbacks.get(stream);
    if (callback === undefined) {
        callback = (error) => {
            if (error && !stream._writableState?.errorEmitted)
                ignoreFirst(stream);
        };
        callbacks.set(stream, callback);
    }
    return callback;
}

// Write for console.
function print(stream, text) {
    if (stream instanceof Sink) {
        stream.write(text);
        return;
    }
    if (stream === hooks.stdout || stream === hooks.stderr) {
        stream.write(text, callbackOf(stream)); // ours emit no error meanwhile
        return;
    }
    try {
        ignoreFirst(stream);
        stream.write(text, callbackOf(stream));
    } catch (error) {
        if (error instanceof RangeError && /stack/.test(error.message))
            throw error;
    } finally {
        stream.removeListener('error', ignore);
    }
}

class Sink {
    #name; #fd;

    constructor(name, fd) {
        this.#name = name;
        this.#fd = fd;
    }

    get isTTY() { return native.isTTY(this.#fd) || undefined; }

    // If it fails, the stream reports that.
    write(text) {
        if (native.write(this.#fd, text.toWellFormed()) !== 0)
            print(require('program/process')[this.#name], text);
    }
}

const sinks = { stdout: new Sink('stdout', 1), stderr: new Sink('stderr', 2) };
let isWanted = false;

// process.stdout or process.stderr if the program has used it or replaced it,
// and a sink otherwise.
function outputOf(process, name) {
    isWanted = true;
    const output = process[name];
    isWanted = false;
    return output;
}

// Define such a property of process.  make() returns the stream; hasSink: it
// writes to the descriptor.
function defineOutput(process, name, make, hasSink) {
    Object.defineProperty(process, name, {
        configurable: true, enumerable: true,
        get() {
            const wantsSink = isWanted && hasSink;
            isWanted = false;
            if (wantsSink && hooks[name] === undefined)
                return sinks[name];
            return hooks[name] ??= make();
        },
    });
}

module.exports = { print, systemError, outputOf, defineOutput, isTTY: native.isTTY,
    kindOf: native.kindOf };
