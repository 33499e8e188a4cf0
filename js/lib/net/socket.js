// SPDX-License-Identifier: MIT
// net/socket -- net.Socket: a Duplex on a handle (js/net/handle.h).
//
// `_handle` is the handle while the socket is open or connecting, otherwise null.
// C calls the four hooks at the end of this file with the socket as `this`.
'use strict';

const { Duplex } = require('stream/stream');
const { Buffer } = require('bytes/buffer');
const { byteLength, writeOne, writeSeveral } = require('net/encode');
const { kNormalized, normalize, toNumber, isPipeName } = require('net/arguments');
const check = require('net/check');
const { errnoError, closed, closedEarly } = require('net/errors');
const { coded, invalidArgValue } = require('core/errors');
const { connectToHost, connectToPath } = require('net/connect');
const timers = require('timers/timers');
const process = require('program/process');

const EOF = -4095, ENOTCONN = -107, EPIPE = -32;
const ETRUNCATED = -4112, ETLS = -4115; // of libweir-net
const kTimer = Symbol('timer');
const kQueued = Symbol('queued'); // bytes of the write that waits
const kBuffer = Symbol('buffer'); // onread: {bytes, callback, next}
const kOptions = Symbol('options'); // {noDelay, keepAlive, delay}
const kCounts = Symbol('counts'); // {read, written} of the last handle

// ---- the constructor ----

function checkOptions(options) {
    for (const name of ['objectMode', 'readableObjectMode', 'writableObjectMode'])
        if (options?.[name])
            throw invalidArgValue(`options.${name}`, options[name], 'is not supported');
    if (options?.keepAliveInitialDelay !== undefined) {
        check.number(options.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
        if (options.keepAliveInitialDelay < 0)
            options.keepAliveInitialDelay = 0;
    }
}

function openFd(fd) {
    check.int32(fd, 'fd', 0);
    const handle = native.open(fd);
    if (typeof handle !== 'number')
        return handle;
    if (handle === -1 || handle === -9 || handle === -22) // EPERM: a file
        throw coded(TypeError, 'ERR_INVALID_FD_TYPE',
            `Unsupported fd type: ${handle === -1 ? 'FILE' : 'UNKNOWN'}`);
    throw errnoError(handle, 'open');
}

function readsInto(onread) {
    if (onread === null || typeof onread !== 'object' ||
        typeof onread.callback !== 'function')
        return null;
    const { buffer, callback } = onread;
    if (typeof buffer === 'function')
        return { bytes: undefined, callback, next: buffer };
    return buffer instanceof Uint8Array ? { bytes: buffer, callback, next: null } : null;
}

function Socket(given) {
    if (!(this instanceof Socket))
        return new Socket(given);
    checkOptions(given);
    const options = typeof given === 'number' ? { fd: given } : { ...given };
    this.connecting = false;
    this._hadError = false;
    this._handle = null;
    this._parent = null;
    this._host = null;
    this[kQueued] = 0;
    this[kTimer] = null;
    this._closeAfterHandlingError = false;
    options.allowHalfOpen = Boolean(options.allowHalfOpen);
    options.emitClose = false; // the handle's callback does
    options.autoDestroy = true;
    options.decodeStrings = false; // C encodes them
    Duplex.call(this, options);
    if (options.handle)
        this._handle = options.handle;
    else if (options.fd !== undefined)
        this._handle = openFd(options.fd);
    this[kBuffer] = readsInto(options.onread);
    this[kOptions] = { noDelay: Boolean(options.noDelay),
        keepAlive: Boolean(options.keepAlive),
        delay: ~~(options.keepAliveInitialDelay / 1000) };
    this.on('end', onEnd);
    begin(this);
    this._pendingData = null;
    this._pendingEncoding = '';
    this.server = null;
    this._server = null;
    this[kCounts] = { read: 0, written: 0 };
    if (this._handle && options.readable !== false) {
        if (options.pauseOnCreate) {
            this._handle.reading = false;
            this._handle.readStop();
            this.readableFlowing = false;
        } else if (!options.manualStart) {
            this.read(0);
        }
    }
    if (options.signal)
        watchSignal(this, options.signal);
}
Object.setPrototypeOf(Socket.prototype, Duplex.prototype);
Object.setPrototypeOf(Socket, Duplex);

// A new socket, or one that connects again.
function begin(socket) {
    socket._undestroy();
    socket._sockname = null;
    socket._handle?.setOwner?.(socket);
    const own = socket[kBuffer];
    if (socket._handle && own?.next)
        own.bytes = own.next();
}

// The Duplex destroys the socket; this stops further attempts to connect.
function watchSignal(socket, signal) {
    check.signal(signal, 'options.signal');
    const onAbort = () => { socket._aborted = true; };
    process.nextTick(() => {
        if (signal.aborted)
            onAbort();
        else
            signal.addEventListener('abort', onAbort, { once: true });
    });
}

// The other side has ended.  "Write after end" would blame the program.
function onEnd() {
    if (!this.allowHalfOpen)
        this.write = writeAfterEnd;
}

function writeAfterEnd(chunk, encoding, callback) {
    if (!this.writableEnded)
        return Duplex.prototype.write.call(this, chunk, encoding, callback);
    const done = typeof encoding === 'function' ? encoding : callback;
    const error = new Error('This socket has been ended by the other party');
    error.code = 'EPIPE';
    if (typeof done === 'function')
        process.nextTick(done, error);
    this.destroy(error);
    return false;
}

function startReading(socket) {
    const own = socket[kBuffer];
    socket._handle.reading = true;
    if (own?.rest) { // of what was read before the program asked to stop
        const { rest } = own;
        own.rest = undefined;
        process.nextTick(() => onRead.call(socket, rest, 0));
    }
    const err = socket._handle.readStart();
    if (err !== 0 && err !== EOF)
        socket.destroy(errnoError(err, 'read'));
}

// A TLS connection that the other side has cut off is a broken pipe.
function writeError(status) {
    return errnoError(status === ETRUNCATED ? EPIPE : status, 'write');
}

function stopReading(socket) {
    socket._handle.reading = false;
    const err = socket._handle.readStop();
    if (err !== 0)
        socket.destroy(errnoError(err, 'read'));
}

// With onread, the stream does not ask for bytes.
function wakeReader(socket) {
    if (socket[kBuffer] && !socket.connecting && socket._handle &&
        !socket._handle.reading)
        startReading(socket);
}

// ---- methods ----

const methods = {
    _unrefTimer() {
        for (let at = this; at !== null && at !== undefined; at = at._parent)
            at[kTimer]?.refresh();
    },

    _final(callback) {
        if (this.pending) {
            this.once('connect', () => this._final(callback));
            return;
        }
        if (!this._handle) {
            callback();
            return;
        }
        // If that fails, the connection has ended: reading tells why.
        const err = this._handle.shutdown(() => callback());
        if (err === ENOTCONN || err === ETRUNCATED)
            callback();
        else if (err < 0)
            callback(errnoError(err, 'shutdown'));
    },

    _onTimeout() {
        const queued = this[kQueued];
        if (queued > 0 && this._handle && this._handle.writeQueueSize !== queued) {
            this[kQueued] = this._handle.writeQueueSize; // a write makes progress
            this._unrefTimer();
            return;
        }
        this.emit('timeout');
    },

    setTimeout(msecs, callback) {
        if (this.destroyed)
            return this;
        this.timeout = msecs;
        const delay = check.delay(msecs, 'msecs');
        timers.clearTimeout(this[kTimer]);
        this[kTimer] = null;
        if (callback !== undefined)
            check.func(callback, 'callback');
        if (delay === 0) {
            if (callback !== undefined)
                this.removeListener('timeout', callback);
            return this;
        }
        this[kTimer] = timers.setTimeout(() => this._onTimeout(), delay).unref();
        if (callback !== undefined)
            this.once('timeout', callback);
        return this;
    },

    setNoDelay(enable) {
        const isOn = Boolean(enable === undefined ? true : enable);
        const options = this[kOptions];
        if (isOn !== options.noDelay) {
            options.noDelay = isOn;
            if (this._handle?.setNoDelay && !this.connecting)
                this._handle.setNoDelay(isOn);
        }
        return this;
    },

    setKeepAlive(enable, initialDelay) {
        const isOn = Boolean(enable), delay = ~~(initialDelay / 1000);
        const options = this[kOptions];
        if (isOn !== options.keepAlive || (isOn && delay !== options.delay)) {
            Object.assign(options, { keepAlive: isOn, delay });
            if (this._handle?.setKeepAlive && !this.connecting)
                this._handle.setKeepAlive(isOn, delay);
        }
        return this;
    },

    address() {
        return this._getsockname();
    },

    _getpeername() {
        if (!this._handle?.getpeername || this.connecting)
            return this._peername || {};
        return this._peername ||= this._handle.getpeername() ?? {};
    },

    _getsockname() {
        if (!this._handle?.getsockname)
            return {};
        return this._sockname ||= this._handle.getsockname() ?? {};
    },

    _read(size) {
        if (this.connecting || !this._handle)
            this.once('connect', () => this._read(size));
        else if (!this._handle.reading)
            startReading(this);
    },

    end(data, encoding, callback) {
        Duplex.prototype.end.call(this, data, encoding, callback);
        return this;
    },

    pause() {
        if (this[kBuffer] && !this.connecting && this._handle?.reading && !this.destroyed)
            stopReading(this);
        return Duplex.prototype.pause.call(this);
    },

    resume() {
        wakeReader(this);
        return Duplex.prototype.resume.call(this);
    },

    read(size) {
        wakeReader(this);
        return Duplex.prototype.read.call(this, size);
    },

    destroySoon() {
        if (this.writable)
            this.end();
        if (this.writableFinished)
            this.destroy();
        else
            this.once('finish', this.destroy);
    },

    resetAndDestroy() {
        if (!this._handle) {
            this.destroy(closed());
        } else if (this._handle.isPath) {
            throw coded(TypeError, 'ERR_INVALID_HANDLE_TYPE',
                'This handle type cannot be sent');
        } else if (this.connecting) {
            this.once('connect', () => this._reset());
        } else {
            this._reset();
        }
        return this;
    },

    _reset() {
        this.resetAndClosing = true;
        return this.destroy();
    },

    _destroy(error, callback) {
        this.connecting = false;
        for (let at = this; at !== null && at !== undefined; at = at._parent)
            timers.clearTimeout(at[kTimer]);
        const hadError = Boolean(error), handle = this._handle;
        if (handle) {
            this[kCounts] = { read: handle.bytesRead, written: handle.bytesWritten };
            const onClosed = () => { this.emit('close', hadError); };
            if (this._wrapped?._handle === handle) { // it closes the handle of both
                this._wrapped.once('close', onClosed);
                this._wrapped.resetAndClosing = this.resetAndClosing;
                this._wrapped.destroy();
            } else if (this.resetAndClosing) {
                this.resetAndClosing = false;
                handle.reset(onClosed);
            } else {
                handle.close(onClosed);
            }
            this._handle = null;
            this._sockname = null;
            callback(error);
        } else if (this._wrapped && !this._wrapped.destroyed) { // it is connecting
            this._wrapped.once('close', () => { this.emit('close', hadError); });
            this._wrapped.destroy();
            callback(error);
        } else {
            callback(error);
            process.nextTick(() => {
                if (this.encrypted)
                    this.emit('close', hadError);
                else
                    this.emit('close');
            });
        }
        if (this._server) {
            this._server._connections--;
            this._server._emitCloseIfDrained?.();
        }
    },

    _writeGeneric(isSeveral, data, encoding, callback) {
        if (this.connecting) {
            this._pendingData = data;
            this._pendingEncoding = encoding;
            const onClose = () => callback(closedEarly());
            this.once('connect', function () {
                this.off('close', onClose);
                this._writeGeneric(isSeveral, data, encoding, callback);
            });
            this.once('close', onClose);
            return;
        }
        this._pendingData = null;
        this._pendingEncoding = '';
        if (!this._handle) {
            callback(closed());
            return;
        }
        this._unrefTimer();
        const status = isSeveral ? writeSeveral(this._handle, data, callback)
            : writeOne(this._handle, data, encoding, callback);
        if (status === 0)
            callback();
        else if (status < 0)
            callback(writeError(status));
        else
            this[kQueued] = this._handle.writeQueueSize;
    },

    _writev(chunks, callback) {
        this._writeGeneric(true, chunks, '', callback);
    },

    _write(data, encoding, callback) {
        this._writeGeneric(false, data, encoding, callback);
    },

    connect(...args) {
        const [options, callback] = args[0]?.[kNormalized] ? args[0] : normalize(args);
        if (callback !== null)
            this.once('connect', callback);
        if (this._parent?.connecting)
            return this;
        if (options.port === undefined && options.path == null)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "options" or "port" or "path" argument must be specified');
        if (this.write !== Socket.prototype.write)
            this.write = Socket.prototype.write;
        if (this.destroyed) {
            this._handle = null;
            this._peername = null;
            this._sockname = null;
        }
        if (!this._handle) {
            this._handle = native.newHandle();
            this._handle.isPath = Boolean(options.path);
            begin(this);
        }
        this._unrefTimer();
        this.connecting = true;
        if (options.path)
            connectToPath(this, options.path);
        else
            connectToHost(this, options);
        return this;
    },

    // Replace the handle by one that has not tried to connect.
    _newHandle() {
        const isUnref = this._handle?.hasRef() === false;
        this._handle?.close();
        this._handle = native.newHandle();
        if (isUnref)
            this._handle.unref();
        begin(this);
    },

    _connected() {
        const { noDelay, keepAlive, delay } = this[kOptions];
        this.connecting = false;
        this._sockname = null;
        this._unrefTimer();
        if (noDelay)
            this._handle.setNoDelay(true);
        if (keepAlive)
            this._handle.setKeepAlive(true, delay);
        this.emit('connect');
        this.emit('ready');
        if (!this.isPaused())
            this.read(0);
    },

    ref() {
        if (!this._handle)
            this.once('connect', this.ref);
        else
            this._handle.ref?.();
        return this;
    },

    unref() {
        if (!this._handle)
            this.once('connect', this.unref);
        else
            this._handle.unref?.();
        return this;
    },
};
for (const name of Object.keys(methods))
    Object.defineProperty(Socket.prototype, name, { value: methods[name], writable: true,
        enumerable: true, configurable: true });

// ---- properties ----

const getters = {
    _connecting() { return this.connecting; },
    pending() { return !this._handle || this.connecting; },
    readyState() {
        if (this.connecting)
            return 'opening';
        if (this.readable)
            return this.writable ? 'open' : 'readOnly';
        return this.writable ? 'writeOnly' : 'closed';
    },
    bufferSize() { return this._handle ? this.writableLength : undefined; },
    bytesRead() { return this._handle ? this._handle.bytesRead : this[kCounts].read; },
    _bytesDispatched() {
        return this._handle ? this._handle.bytesWritten : this[kCounts].written;
    },
    bytesWritten() {
        let bytes = this._bytesDispatched;
        const data = this._pendingData, waiting = this.writableBuffer;
        if (!waiting)
            return undefined;
        for (const { chunk, encoding } of waiting)
            bytes += byteLength(chunk, encoding);
        if (Array.isArray(data))
            for (const one of data)
                bytes += byteLength(one.chunk ?? one, one.encoding);
        else if (data)
            bytes += byteLength(data, this._pendingEncoding);
        return bytes;
    },
    remoteAddress() { return this._getpeername().address; },
    remoteFamily() { return this._getpeername().family; },
    remotePort() { return this._getpeername().port; },
    localAddress() { return this._getsockname().address; },
    localFamily() { return this._getsockname().family; },
    localPort() { return this._getsockname().port; },
};
for (const name of Object.keys(getters))
    Object.defineProperty(Socket.prototype, name, { get: getters[name], enumerable: true,
        configurable: name === '_connecting' || name === 'pending' ||
            name === 'readyState' || name === 'bufferSize' });

// ---- the hooks ----

// Fill the program's own buffers.  Returns false if reading should stop.
function giveOwn(socket, own, bytes) {
    if (own.rest) {
        own.rest = Buffer.concat([own.rest, bytes]);
        return true;
    }
    for (let at = 0; at < bytes.length && own.bytes?.length > 0;) {
        const piece = bytes.subarray(at, at + own.bytes.length);
        own.bytes.set(piece);
        at += piece.length;
        const goesOn = own.callback.call(socket, piece.length, own.bytes) !== false;
        if (own.next)
            own.bytes = own.next();
        if (socket.destroyed)
            return true;
        if (!goesOn || !socket._handle?.reading) { // or it has paused the socket
            own.rest = at < bytes.length ? bytes.subarray(at) : undefined;
            return goesOn;
        }
    }
    return true;
}

function onRead(bytes, status) {
    this._unrefTimer();
    if (bytes !== undefined) {
        if (this.destroyed)
            return;
        const own = this[kBuffer];
        if (!(own ? giveOwn(this, own, bytes) : this.push(bytes)) && this._handle &&
            !this.destroyed)
            stopReading(this);
    } else if (status !== EOF && !(status === ETRUNCATED && this._secureEstablished)) {
        this.destroy(this.encrypted && status <= ETLS ? this._readError()
            : errnoError(status, 'read'));
    } else if (!this._readableState.endEmitted) {
        this.push(null);
        this.read(0);
    }
}

// The callback is the stream's, of a write or of _final.
function onWritten(status, callback) {
    if (this.destroyed) {
        callback();
        return;
    }
    this[kQueued] = 0;
    if (status < 0) {
        callback(writeError(status));
        return;
    }
    this._unrefTimer();
    callback();
}

function onConnected(status, callback) {
    callback(status);
}

function onSecured(status, reason) {
    this._secured(status, reason);
}

function onEvent(socket, kind, value) {
    socket?._tlsEvent(kind, value);
}

native.setHooks(onRead, onWritten, onConnected, onSecured, onEvent);

// The handle of a descriptor, whose owner it becomes; or -errno.
function adopt(descriptor) {
    const handle = native.open(descriptor.fd);
    if (typeof handle !== 'number')
        descriptor.forget();
    return handle;
}

module.exports = { adopt, pair: native.pair, Socket, normalize, toNumber, isPipeName, kOptions };
