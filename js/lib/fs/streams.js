// SPDX-License-Identifier: MIT
// fs/streams -- fs.ReadStream and fs.WriteStream.
//
// Both work on a descriptor, on a FileHandle, or with functions that the
// program gives instead of those of fs.
'use strict';

const { Readable, Writable, finished } = require('stream/stream');
const { destroy: { errorOrDestroy } } = require('bundle/readable-stream');
const { codes: { ERR_INVALID_ARG_TYPE, ERR_METHOD_NOT_IMPLEMENTED } } =
    require('stream/errors');
const { validateBoolean, validateFunction } = require('stream/check');
const { invalidArgType, outOfRange, coded } = require('core/errors');
const { deprecate } = require('stream/support');
const { nextTick } = require('timers/timers');
const hooks = require('core/hooks');
const { Buffer } = require('bytes/buffer');
const fs = require('fs/fs');
const check = require('fs/check');
const { FileHandle, enter, leave } = require('fs/handle');
const { readNew, later } = require('fs/ops');

const kFs = Symbol('kFs'), kHandle = Symbol('kHandle');
const kIoDone = Symbol('kIoDone'), kIsPerformingIO = Symbol('kIsPerformingIO');
const RETRIES = 5; // after EAGAIN

// The functions of fs, on a FileHandle.
function operationsOf(handle) {
    const then = (promise, done, ...rest) => promise.then(() => done(null, ...rest), done);
    return {
        open() { throw new ERR_METHOD_NOT_IMPLEMENTED('open()'); },
        close(fd, done) {
            leave(handle);
            then(handle.close(), done);
        },
        fsync(fd, done) { then(handle.sync(), done); },
        writev(fd, buffers, position, done) {
            handle.writev(buffers, position).then(
                (result) => done(null, result.bytesWritten, result.buffers),
                (error) => done(error, 0, buffers));
        },
        read(fd, buffer, offset, length, position, done) {
            handle.read(buffer, offset, length, position).then(
                (result) => done(null, result.bytesRead, result.buffer),
                (error) => done(error, 0, buffer));
        },
        write(fd, buffer, offset, length, position, done) {
            handle.write(buffer, offset, length, position).then(
                (result) => done(null, result.bytesWritten, result.buffer),
                (error) => done(error, 0, buffer));
        },
    };
}

function descriptorOf(stream, options) {
    const { fd } = options;
    if (typeof fd === 'number') {
        stream[kFs] = options.fs || fs;
        return check.fd(fd);
    }
    if (!(fd instanceof FileHandle))
        throw new ERR_INVALID_ARG_TYPE('options.fd', ['number', 'FileHandle'], fd);
    if (options.fs)
        throw new ERR_METHOD_NOT_IMPLEMENTED('FileHandle with fs');
    const open = check.fd(fd.fd); // not if the handle is closed
    stream[kHandle] = fd;
    stream[kFs] = operationsOf(fd);
    enter(fd);
    fd.on('close', stream.close.bind(stream));
    return open;
}

function optionsOf(given) {
    if (given === undefined || given === null)
        return {};
    if (typeof given !== 'string' && typeof given !== 'object')
        throw new ERR_INVALID_ARG_TYPE('options', ['string', 'Object'], given);
    check.options(given, {});
    if (typeof given === 'string')
        return { encoding: given };
    const options = {};
    for (const key in given) // inherited ones, too
        options[key] = given[key];
    return options;
}

// What both have in common: where to read or write.
function begin(stream, path, options, flags, functions) {
    if (options.fd === undefined || options.fd === null) {
        stream.fd = null;
        stream[kFs] = options.fs || fs;
        validateFunction(stream[kFs].open, 'options.fs.open');
        check.path(path);
        stream.path = check.isURL(path) ? check.path(path) : path;
        stream.flags = options.flags === undefined ? flags : options.flags;
        stream.mode = options.mode === undefined ? 0o666 : options.mode;
    } else {
        stream.fd = descriptorOf(stream, options);
    }
    options.autoDestroy = options.autoClose === undefined ? true : options.autoClose;
    for (const name of functions)
        validateFunction(stream[kFs][name], `options.fs.${name}`);
    if (options.autoDestroy)
        validateFunction(stream[kFs].close, 'options.fs.close');
    stream.start = options.start;
    stream.pos = undefined;
}

function startAt(stream) {
    if (stream.start === undefined)
        return;
    checkPosition(stream.start, 'start');
    stream.pos = stream.start;
}

function checkPosition(value, name) {
    if (typeof value === 'bigint')
        return;
    check.integer(value, name, 0);
}

function construct(done) {
    if (typeof this.fd === 'number') {
        done();
        return;
    }
    if (this.open !== openRead && this.open !== openWrite) {
        constructPatched(this, done);
        return;
    }
    this[kFs].open(this.path, this.flags, this.mode, (error, fd) => {
        if (error) {
            done(error);
            return;
        }
        this.fd = fd;
        done();
        this.emit('open', this.fd);
        this.emit('ready');
    });
}

// The program has replaced open(), which was once the way to open it otherwise.
function constructPatched(stream, done) {
    const { emit } = stream;
    stream.emit = function (...args) {
        if (args[0] === 'open') {
            this.emit = emit;
            done();
            Reflect.apply(emit, this, args);
        } else if (args[0] === 'error') {
            this.emit = emit;
            done(args[1]);
        } else {
            Reflect.apply(emit, this, args);
        }
    };
    stream.open();
}

const openRead = deprecate(() => {}, 'ReadStream.prototype.open() is deprecated', 'DEP0135');
const openWrite = deprecate(() => {}, 'WriteStream.prototype.open() is deprecated', 'DEP0135');

// Descriptor 0 is not closed.
function closeFile(stream, error, done) {
    if (!stream.fd) {
        done(error);
        return;
    }
    const { fd } = stream;
    const close = (other) => {
        stream[kFs].close(fd, (third) => done(third || error || other));
        stream.fd = null;
    };
    if (stream.flush)
        stream[kFs].fsync(fd, close);
    else
        close(null);
}

// An operation that is under way must end first.
function destroy(error, done) {
    if (this[kIsPerformingIO])
        this.once(kIoDone, (other) => closeFile(this, error || other, done));
    else
        closeFile(this, error, done);
}

// The constructors are in fs/fs.
function fill({ prototype }, methods) {
    for (const name of Object.keys(methods))
        Object.defineProperty(prototype, name, { value: methods[name], writable: true,
            configurable: true, enumerable: true });
    Object.defineProperty(prototype, 'pending', {
        configurable: true,
        get() { return this.fd === null; },
    });
}

// ---- ReadStream ----

const { ReadStream, WriteStream } = hooks.fileStreams;

function beginReading(stream, path, options) {
    options = optionsOf(options);
    if (options.highWaterMark === undefined)
        options.highWaterMark = 64 * 1024;
    begin(stream, path, options, 'r', ['read']);
    stream.end = options.end ?? Infinity;
    stream.bytesRead = 0;
    stream[kIsPerformingIO] = false;
    startAt(stream);
    if (stream.end !== Infinity) {
        checkPosition(stream.end, 'end');
        if (stream.start !== undefined && stream.start > stream.end)
            throw outOfRange('start', `<= "end" (here: ${stream.end})`, stream.start);
    }
    Reflect.apply(Readable, stream, [options]);
    if (options.encoding)
        stream.setEncoding(options.encoding);
}

const { read: readFile } = fs;

// While work() is under way, the file stays open.  If it throws, nothing is under
// way: there was no memory, or the program has its own functions.
function launch(stream, work, done) {
    stream[kIsPerformingIO] = true;
    try {
        work((error, count, buffer) => {
            stream[kIsPerformingIO] = false;
            done(error, count, buffer);
        });
    } catch (error) {
        stream[kIsPerformingIO] = false;
        throw error;
    }
}

// The program may have replaced fs.read.  If not, do without its copy.
function readPiece(stream, size, done) {
    if (stream[kFs] === fs && fs.read === readFile)
        later(readNew(stream.fd, size, stream.pos),
            (buffer) => done(null, buffer.length, buffer), done);
    else
        stream[kFs].read(stream.fd, Buffer.allocUnsafeSlow(size), 0, size, stream.pos, done);
}

fill(ReadStream, {
    open: openRead,
    _construct: construct,
    _read(size) {
        const rest = this.end - (this.pos === undefined ? this.bytesRead : this.pos) + 1;
        size = Math.min(rest, size);
        if (size <= 0) {
            this.push(null);
            return;
        }
        launch(this, (ready) => readPiece(this, size, ready), (error, count, buffer) => {
            if (this.destroyed) {
                this.emit(kIoDone, error);
                return;
            }
            if (error) {
                errorOrDestroy(this, error);
                return;
            }
            if (this.pos !== undefined)
                this.pos += count;
            this.bytesRead += count;
            // A copy of a small piece keeps less memory alive.
            this.push(count === 0 ? null : count === buffer.length ? buffer
                : Buffer.from(buffer.subarray(0, count)));
        });
    },
    _destroy: destroy,
    close(done) {
        if (typeof done === 'function')
            finished(this, done);
        this.destroy();
    },
});
Object.defineProperty(ReadStream.prototype, 'autoClose', {
    get() { return this._readableState.autoDestroy; },
    set(value) { this._readableState.autoDestroy = value; },
});

// ---- WriteStream ----

function checkWriters(stream) {
    const { write, writev } = stream[kFs];
    if (!write && !writev)
        throw invalidArgType('options.fs.write', 'of type function', write);
    if (write)
        validateFunction(write, 'options.fs.write');
    if (writev)
        validateFunction(writev, 'options.fs.writev');
    // One of them is enough.
    if (!write)
        stream._write = null;
    if (!writev)
        stream._writev = null;
}

function beginWriting(stream, path, options) {
    options = optionsOf(options);
    options.decodeStrings = true;
    begin(stream, path, options, 'w', []);
    stream.flush = options.flush ?? false;
    if (options.flush !== undefined && options.flush !== null)
        validateBoolean(options.flush, 'options.flush');
    checkWriters(stream);
    if (stream.flush)
        validateFunction(stream[kFs].fsync, 'options.fs.fsync');
    stream.bytesWritten = 0;
    stream[kIsPerformingIO] = false;
    startAt(stream);
    Reflect.apply(Writable, stream, [options]);
    if (options.encoding)
        stream.setDefaultEncoding(options.encoding);
}

// The system may write less than it was given.
function writeRest(stream, data, done, retries = 0) {
    stream[kFs].write(stream.fd, data, 0, data.length, stream.pos, (error, count, buffer) => {
        if (error?.code === 'EAGAIN') {
            error = null;
            count = 0;
        }
        if (stream.destroyed || error) {
            done(error || new (require('stream/errors').codes.ERR_STREAM_DESTROYED)('write'));
            return;
        }
        stream.bytesWritten += count;
        retries = count > 0 ? 0 : retries + 1;
        if (stream.pos !== undefined)
            stream.pos += count;
        if (retries > RETRIES)
            done(coded(Error, 'EAGAIN', 'writev failed'));
        else if (count < buffer.length)
            writeRest(stream, buffer.subarray(count), done, retries);
        else
            done();
    });
}

// The same for a list of buffers.
function writeRestOfAll(stream, list, size, done, retries = 0) {
    stream[kFs].writev(stream.fd, list, stream.pos, (error, count, buffers) => {
        if (error?.code === 'EAGAIN') {
            error = null;
            count = 0;
        }
        if (stream.destroyed || error) {
            done(error || new (require('stream/errors').codes.ERR_STREAM_DESTROYED)('writev'));
            return;
        }
        stream.bytesWritten += count;
        retries = count > 0 ? 0 : retries + 1;
        size -= count;
        if (stream.pos !== undefined)
            stream.pos += count;
        if (retries > RETRIES)
            done(coded(Error, 'EAGAIN', 'writev failed'));
        else if (size > 0)
            writeRestOfAll(stream, [Buffer.concat(buffers).subarray(count)], size, done,
                retries);
        else
            done();
    });
}

function perform(stream, work, done) {
    launch(stream, work, (error) => {
        if (stream.destroyed) {
            // The callback matters to nobody, but whoever destroys it waits.
            done(error);
            stream.emit(kIoDone, error);
            return;
        }
        done(error);
    });
}

fill(WriteStream, {
    open: openWrite,
    _construct: construct,
    _write(data, encoding, done) {
        perform(this, (ready) => writeRest(this, data, ready), done);
    },
    _writev(data, done) {
        const list = data.map(({ chunk }) => chunk);
        let size = 0;
        for (let i = 0; i < list.length; i++)
            size += list[i].length;
        perform(this, (ready) => writeRestOfAll(this, list, size, ready), done);
    },
    _destroy: destroy,
    close(done) {
        if (done) {
            if (this.closed) {
                nextTick(done);
                return;
            }
            this.on('close', done);
        }
        // Without autoClose nothing else would close it.
        if (!this.autoClose)
            this.on('finish', this.destroy);
        this.end();
    },
    destroySoon: Writable.prototype.end,
});
Object.defineProperty(WriteStream.prototype, 'autoClose', {
    get() { return this._writableState.autoDestroy; },
    set(value) { this._writableState.autoDestroy = value; },
});

module.exports = { ReadStream, WriteStream, beginReading, beginWriting };
