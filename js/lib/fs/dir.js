// SPDX-License-Identifier: MIT
// fs/dir -- Dir: an open directory, whose entries are read in pieces.
//
// Data     A descriptor, which keeps the position in the directory, and the
//          entries that were read ahead.
// Order    One operation at a time: while one is on the pool, later ones wait
//          in `#waiting`, and synchronous ones are refused.
'use strict';

const { ops, now, later } = require('fs/ops');
const { Dirent } = require('fs/stats');
const check = require('fs/check');
const { checkFunction, coded } = require('core/errors');

const nextTick = (...args) => require('program/process').nextTick(...args);

const closed = () => coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed');

// A forgotten directory is closed when its handle is collected.
const forgotten = new FinalizationRegistry((fd) => {
    require('program/process').emitWarning('Closing directory handle on garbage collection');
    later(ops.close(fd), () => {}, () => {});
});

class Dir {
    #fd;
    #path;
    #at; // the directory that is being read: #path, or below it
    #options;
    #entries = [];
    #directories = []; // to be read after this one
    #isClosed = false;
    #waiting = null; // functions; null: no operation is under way

    constructor(fd, path, options) {
        if (fd === undefined || fd === null)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "handle" argument must be specified');
        this.#fd = fd;
        this.#path = this.#at = path;
        this.#options = { bufferSize: 32, ...options };
        forgotten.register(this, fd, this);
    }

    get path() { return this.#path; }

    // ---- one operation at a time ----

    #begin(again) {
        if (this.#waiting === null) {
            this.#waiting = [];
            return true;
        }
        this.#waiting.push(again);
        return false;
    }

    #end() {
        const waiting = this.#waiting;
        this.#waiting = null;
        for (const again of waiting)
            again();
    }

    #refuseSync() {
        if (this.#isClosed)
            throw closed();
        if (this.#waiting !== null)
            throw coded(Error, 'ERR_DIR_CONCURRENT_OPERATION', 'Cannot do synchronous ' +
                'work on directory handle with concurrent asynchronous operations');
    }

    // ---- reading ----

    #take() {
        const entry = this.#entries.shift();
        if (this.#options.recursive && entry.isDirectory())
            this.#directories.push(require('fs/path').join(entry.parentPath, entry.name));
        return entry;
    }

    #more() {
        const { encoding, bufferSize } = this.#options;
        return ops.readEntries(this.#fd, bufferSize, encoding);
    }

    // Returns false at the end of this directory.
    #add([names, types]) {
        for (let i = 0; i < names.length; i++)
            this.#entries.push(new Dirent(names[i], types[i], this.#at));
        return names.length > 0;
    }

    #enter(fd) {
        forgotten.unregister(this);
        forgotten.register(this, fd, this);
        const before = this.#fd;
        this.#fd = fd;
        return before;
    }

    readSync() {
        this.#refuseSync();
        while (this.#entries.length === 0 && !this.#add(now(this.#more()))) {
            if (this.#directories.length === 0)
                return null;
            this.#at = this.#directories.shift();
            now(ops.close(this.#enter(now(ops.openDirectory(this.#at)))));
        }
        return this.#take();
    }

    // In the next directory, or at the end of all.
    #advance(resolve, reject) {
        if (this.#directories.length === 0) {
            resolve(null);
            return;
        }
        this.#at = this.#directories.shift();
        later(ops.openDirectory(this.#at), (fd) => {
            later(ops.close(this.#enter(fd)), () => this.#fill(resolve, reject), reject);
        }, reject);
    }

    #fill(resolve, reject) {
        later(this.#more(), (found) => {
            if (this.#add(found))
                resolve(this.#take());
            else
                this.#advance(resolve, reject);
        }, reject);
    }

    #read(callback, isLater) {
        checkFunction(callback, 'callback');
        if (!this.#begin(() => this.#read(callback, isLater)))
            return;
        if (this.#isClosed) { // by an operation that this one has waited for
            this.#end();
            nextTick(callback, closed());
            return;
        }
        if (this.#entries.length > 0) {
            const entry = this.#take();
            this.#end();
            if (isLater)
                nextTick(callback, null, entry);
            else
                callback(null, entry);
            return;
        }
        // Those that wait come after this callback, even if it throws.
        const done = (error, entry) => {
            nextTick(() => this.#end());
            callback(error, entry);
        };
        this.#fill((entry) => done(null, entry), (error) => done(error));
    }

    #promised(run) {
        return new Promise((resolve, reject) => {
            run((error, value) => error ? reject(error) : resolve(value));
        });
    }

    read(callback) {
        if (this.#isClosed)
            throw closed();
        return callback === undefined
            ? this.#promised((done) => this.#read(done, false)) : this.#read(callback, true);
    }

    // ---- closing ----

    #forget() {
        this.#isClosed = true;
        forgotten.unregister(this);
    }

    #close(callback) {
        if (this.#isClosed) {
            nextTick(callback, closed());
            return;
        }
        if (!this.#begin(() => this.#close(callback)))
            return;
        this.#forget();
        const done = (error) => {
            this.#end();
            callback(error);
        };
        later(ops.close(this.#fd), () => done(null), done);
    }

    close(callback) {
        if (callback === undefined)
            return this.#isClosed ? Promise.reject(closed())
                : this.#promised((done) => this.#close(done));
        checkFunction(callback, 'callback');
        return this.#close(callback);
    }

    closeSync() {
        this.#refuseSync();
        this.#forget();
        now(ops.close(this.#fd));
    }

    async* entries() {
        try {
            for (let entry; (entry = await this.read()) !== null;)
                yield entry;
        } finally {
            await this.close();
        }
    }
}

const hidden = (value) => ({ value, writable: true, configurable: true });
Object.defineProperty(Dir.prototype, Symbol.asyncIterator, hidden(Dir.prototype.entries));
if (Symbol.asyncDispose !== undefined)
    Object.defineProperty(Dir.prototype, Symbol.asyncDispose,
        hidden(async function () { await this.close(); }));

// The operation that opens one.
function opendir(path, options) {
    options = check.options(options, { encoding: 'utf8' });
    const one = ops.openDirectory(path);
    if (options.bufferSize !== undefined)
        check.integer(options.bufferSize, 'options.bufferSize', 1, 4294967295);
    return { ...one, take: (fd) => new Dir(fd, path, options) };
}

module.exports = { Dir, opendir };
