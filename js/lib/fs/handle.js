// SPDX-License-Identifier: MIT
// fs/handle -- FileHandle: an open file with promises.
'use strict';

const EventEmitter = require('events/events');
const { ops, later, checkView } = require('fs/ops');
const check = require('fs/check');
const { toBuffer } = require('bytes/bytes');
const { abortError, coded, invalidArgType } = require('core/errors');

function settle(one) {
    return new Promise((resolve, reject) => later(one, resolve, reject));
}

// ---- data in pieces ----

function isPieces(data) {
    return data != null && typeof data !== 'string' && !ArrayBuffer.isView(data) &&
        typeof (data[Symbol.asyncIterator] ?? data[Symbol.iterator]) === 'function';
}

// Each piece is a text or a view.
async function writePieces(fd, pieces, options) {
    const { encoding, signal } = check.options(options, {});
    for await (const piece of pieces) {
        if (signal?.aborted)
            throw abortError(signal);
        const bytes = ArrayBuffer.isView(piece) ? piece
            : require('bytes/buffer').Buffer.from(piece, encoding || 'utf8');
        for (let at = 0; at < bytes.byteLength;)
            at += await settle(ops.write(fd, bytes, at, bytes.byteLength - at, null));
    }
}

// ---- open files ----

// A forgotten file is closed when its handle is collected, but a program should
// not rely on that.
const forgotten = new FinalizationRegistry((fd) => {
    const process = require('program/process');
    process.emitWarning(`Closing file descriptor ${fd} on garbage collection`);
    process.emitWarning('Closing a FileHandle object on garbage collection is deprecated. ' +
        'Please close FileHandle objects explicitly using FileHandle.prototype.close(). ' +
        'In the future, an error will be thrown if a file descriptor is closed during ' +
        'garbage collection.', 'DeprecationWarning', 'DEP0137');
    settle(ops.close(fd)).catch(() => {});
});

let enter, leave; // for a stream: the file stays open in between
let send; // to another thread

class FileHandle extends EventEmitter {
    #fd;
    #users = 1; // one for itself, and one for each operation under way
    #isLocked = false; // by readableWebStream()
    #closing;
    #close;

    constructor(fd) {
        super();
        this.#fd = fd;
        forgotten.register(this, fd, this);
    }

    get fd() { return this.#fd; }

    // The descriptor is not closed while it is in use.
    async #use(syscall, run) {
        if (this.#fd === -1) {
            const error = new Error('file closed');
            error.code = 'EBADF';
            error.syscall = syscall;
            throw error;
        }
        this.#users++;
        try {
            return await run(this.#fd);
        } finally {
            this.#leave();
        }
    }

    static {
        enter = (handle) => { handle.#users++; };
        send = (handle) => handle.#send();
        leave = (handle) => { handle.#leave(); };
    }

    #leave() {
        if (--this.#users > 0)
            return;
        const fd = this.#fd;
        this.#fd = -1;
        forgotten.unregister(this);
        settle(ops.close(fd)).then(this.#close.resolve, this.#close.reject);
    }

    #send() {
        if (this.#users > 1 || this.#closing !== undefined)
            throw new DOMException('Cannot transfer FileHandle while in use',
                'DataCloneError');
        const fd = this.#fd;
        return { parts: ['file', fd], ports: [], commit: () => {
            this.#fd = -1;
            forgotten.unregister(this);
        } };
    }

    close() {
        if (this.#fd === -1)
            return Promise.resolve();
        if (this.#closing === undefined) {
            this.#close = Promise.withResolvers();
            this.#closing = this.#close.promise.finally(() => {
                this.#closing = undefined;
            });
            this.#leave();
            this.emit('close');
        }
        return this.#closing;
    }

    async [Symbol.asyncDispose]() { await this.close(); }

    appendFile(data, options) { return this.writeFile(data, options); }
    chmod(mode) { return this.#use('fchmod', (fd) => settle(ops.fchmod(fd, mode))); }
    chown(uid, gid) { return this.#use('fchown', (fd) => settle(ops.fchown(fd, uid, gid))); }
    datasync() { return this.#use('fdatasync', (fd) => settle(ops.fdatasync(fd))); }
    sync() { return this.#use('fsync', (fd) => settle(ops.fsync(fd))); }
    stat(options) { return this.#use('fstat', (fd) => settle(ops.fstat(fd, options))); }
    truncate(length) { return this.#use('ftruncate', (fd) => settle(ops.ftruncate(fd, length))); }
    utimes(atime, mtime) {
        return this.#use('futimes', (fd) => settle(ops.futimes(fd, atime, mtime)));
    }
    readFile(options) {
        return this.#use('readFile', (fd) => settle(ops.readFile(fd, options)));
    }
    writeFile(data, options) {
        return this.#use('writeFile', (fd) => isPieces(data)
            ? writePieces(fd, data, options) : settle(ops.writeFile(fd, data, options)));
    }

    read(view, offset, length, position) {
        return this.#use('read', async (fd) => {
            let buffer = view, options;
            if (!ArrayBuffer.isView(view)) {
                options = view ?? {};
                if (typeof options === 'object')
                    buffer = options.buffer ?? toBuffer(new ArrayBuffer(16384));
            } else if (offset !== null && typeof offset === 'object') {
                options = offset;
            }
            if (options !== undefined)
                ({ offset, length, position } = options);
            checkView(buffer);
            if (length === undefined || length === null)
                length = buffer.byteLength - (offset ?? 0);
            const bytesRead = await settle(ops.read(fd, buffer, offset ?? 0, length,
                position));
            return { __proto__: null, bytesRead, buffer };
        });
    }

    createReadStream(options) {
        const { ReadStream } = require('fs/streams');
        return new ReadStream(undefined, { ...options, fd: this });
    }

    readLines(options) {
        const { Interface } = require('readline/interface');
        return new Interface({ input: this.createReadStream(options), crlfDelay: Infinity });
    }

    readableWebStream(options = {}) {
        const why = this.#fd === -1 ? 'closed' : this.#closing !== undefined ? 'closing'
            : this.#isLocked ? 'locked' : undefined;
        if (why !== undefined)
            throw coded(Error, 'ERR_INVALID_STATE',
                `Invalid state: The FileHandle is ${why}`);
        if (options.type !== undefined && typeof options.type !== 'string')
            throw invalidArgType('options.type', 'of type string', options.type);
        this.#isLocked = true;
        this.#users++;
        return require('fs/webstream')(this, options.type, () => this.#leave());
    }

    createWriteStream(options) {
        const { WriteStream } = require('fs/streams');
        return new WriteStream(undefined, { ...options, fd: this });
    }

    readv(buffers, position) {
        return this.#use('readv', async (fd) => ({ __proto__: null,
            bytesRead: await settle(ops.readv(fd, buffers, position)), buffers }));
    }

    writev(buffers, position) {
        return this.#use('writev', async (fd) => (Array.isArray(buffers) && buffers.length === 0
            ? { __proto__: null, bytesWritten: 0, buffers } : { __proto__: null,
                bytesWritten: await settle(ops.writev(fd, buffers, position)), buffers }));
    }

    write(data, offset, length, position) {
        return this.#use('write', async (fd) => ({ __proto__: null,
            bytesWritten: await settle(ops.write(fd, data, offset, length, position)),
            buffer: data }));
    }
}

require('messages/host').defineTransfer(FileHandle.prototype, function () {
    return this instanceof FileHandle ? send(this) : undefined;
});

const adopt = (fd) => new FileHandle(fd);

module.exports = { FileHandle, adopt, enter, leave, isPieces, settle };
