// SPDX-License-Identifier: MIT
// zlib/engine -- a codec (js/zlib/handle.c) as an object with methods.
'use strict';

const { coded } = require('core/errors');

const kStream = Symbol('kStream'); // the property of an engine with its stream

class Engine {
    // The options are those of js/lib/zlib/options.js.
    static open({ mode, parameters, dictionary, sourceSize = -1 }) {
        const handle = native.open(mode, parameters, dictionary, sourceSize);
        if (handle === undefined)
            throw coded(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');
        return Object.setPrototypeOf(handle, Engine.prototype);
    }

    close() { native.close(this); }
    reset() { native.reset(this); }

    params(level, strategy) {
        const failure = native.setLevel(this, level, strategy);
        if (failure !== undefined)
            throw zlibError(failure);
    }

    // As Node's, for packages that process buffers at once through a stream: what
    // is left goes into the stream's _writeState, and an error destroys it.
    writeSync(flush, input, from, size, output, at, room) {
        const stream = this[kStream];
        try {
            const done = runNow(this, flush, input.subarray(from, from + size), room, false);
            output.set(new Uint8Array(done.output), at);
            stream._writeState[0] = room - done.output.byteLength;
            stream._writeState[1] = done.left;
        } catch (error) {
            stream.destroy(error);
        }
    }
}
Object.defineProperty(Engine, 'name', { value: 'Zlib' });

function zlibError([message, code, errno]) {
    const error = new Error(message);
    error.errno = errno;
    error.code = code;
    return error;
}

// What C answers: {output, left, isFull}, or an exception.
function result(answer, limit) {
    if (answer === null)
        throw coded(RangeError, 'ERR_BUFFER_TOO_LARGE',
            `Cannot create a Buffer larger than ${limit} bytes`);
    if (typeof answer[0] === 'string')
        throw zlibError(answer);
    return { output: answer[0], left: answer[1], isFull: answer[2] };
}

// Process an input, as far as an output of `size` bytes has room; if it is whole,
// completely, and more output than that is an error.  Without an input it goes on
// with the rest of the last one.
function runNow(engine, flush, input, size, isWhole) {
    return result(native.run(engine, flush, input, size, isWhole), size);
}

// The same on the pool.  The functions refer to the engine, and so keep it
// (js/zlib/handle.c).
function run(engine, flush, input, size, isWhole, resolve, reject) {
    native.run(engine, flush, input, size, isWhole, (answer) => {
        let done;
        try {
            done = result(answer, size);
        } catch (error) {
            reject(error, engine);
            return;
        }
        resolve(done, engine);
    }, (error) => reject(error, engine));
}

module.exports = { Engine, kStream, run, runNow, crc32: native.crc32, version: native.ZLIB_VERNUM };
