// SPDX-License-Identifier: MIT
// fs -- files and directories, with callbacks or synchronously.
'use strict';

const { ops, realpathNative, now, later } = require('fs/ops');
const check = require('fs/check');
const constants = require('fs/constants');
const { toBuffer } = require('bytes/bytes');
const hooks = require('core/hooks');

function named(name, fn) {
    return Object.defineProperty(fn, 'name', { value: name });
}

// The callback is the first function after the first argument.  Where options
// may be omitted, Node complains about what stands in their place.
const optional = new Set(['appendFile', 'mkdtemp', 'open', 'readFile', 'readdir', 'readv',
    'symlink', 'writeFile', 'writev']);

function split(name, args) {
    const at = args.findIndex((arg, i) => i > 0 && typeof arg === 'function');
    if (at < 0)
        check.callback(args.length > 1 && optional.has(name) ? args.at(-1) : undefined);
    return [args.slice(0, at), args[at]];
}

function withCallback(name, prepare, hasValue) {
    return named(name, (...args) => {
        const [own, callback] = split(name, args);
        later(prepare(...own), hasValue ? (value) => callback(null, value)
            : () => callback(null), callback);
    });
}

const fs = {};
const valued = new Set(['fstat', 'lstat', 'mkdir', 'mkdtemp', 'open', 'opendir', 'read', 'readdir',
    'readFile', 'readlink', 'realpath', 'stat', 'statfs', 'write']);
for (const [name, prepare] of Object.entries(ops)) {
    fs[name] = withCallback(name, prepare, valued.has(name));
    fs[`${name}Sync`] = named(`${name}Sync`, (...args) => now(prepare(...args)));
}
fs.realpath.native = withCallback('native', realpathNative, true);
fs.realpathSync.native = named('native', (...args) => now(realpathNative(...args)));

// ---- exceptions to the rule ----

fs.read = function read(fd, ...args) {
    const [own, callback] = split('read', [fd, ...args]);
    const view = ArrayBuffer.isView(own[1]) ? own[1]
        : own.length === 1 ? toBuffer(new ArrayBuffer(16384))
            : own[1]?.buffer ?? toBuffer(new ArrayBuffer(16384));
    const one = own.length > 1 && !ArrayBuffer.isView(own[1])
        ? ops.read(fd, view, own[1] ?? {}) : ops.read(fd, view, ...own.slice(2));
    later(one, (count) => callback(null, count, view), callback);
};

fs.write = function write(fd, data, ...args) {
    const [own, callback] = split('write', [fd, data, ...args]);
    later(ops.write(...own), (count) => callback(null, count, data), callback);
};

for (const name of ['readv', 'writev'])
    fs[name] = named(name, (fd, buffers, ...args) => {
        const [own, callback] = split(name, [fd, buffers, ...args]);
        later(ops[name](...own), (count) => callback(null, count, buffers), callback);
    });

// Without a callback, an error is thrown.
function rethrow(error) {
    if (error !== null)
        throw error;
}

fs.close = function close(fd, callback = rethrow) {
    const one = ops.close(fd);
    check.callback(callback);
    later(one, () => callback(null), callback);
};

fs.exists = function exists(path, callback) {
    check.callback(callback);
    let one;
    try {
        one = ops.access(path);
    } catch {
        callback(false);
        return;
    }
    later(one, () => callback(true), () => callback(false));
};
Object.defineProperty(fs.exists, Symbol.for('nodejs.util.promisify.custom'), {
    value: (path) => new Promise((resolve) => fs.exists(path, resolve)) });

fs.existsSync = function existsSync(path) {
    try {
        now(ops.access(path));
        return true;
    } catch {
        return false;
    }
};

// util.promisify returns both: the count and the buffer.
for (const name of ['read', 'write', 'readv', 'writev']) {
    const count = name.startsWith('read') ? 'bytesRead' : 'bytesWritten';
    const what = name === 'readv' ? 'buffers' : 'buffer';
    Object.defineProperty(fs[name], Symbol.for('nodejs.util.promisify.custom'), {
        value: named(name, (...args) => new Promise((resolve, reject) => {
            fs[name](...args, (error, number, data) => error ? reject(error)
                : resolve({ [count]: number, [what]: data }));
        })) });
}

const { Stats, Dirent } = require('fs/stats');
Object.assign(fs, { Dirent, Stats });
for (const name of ['F_OK', 'R_OK', 'W_OK', 'X_OK'])
    Object.defineProperty(fs, name,
        { value: constants[name], enumerable: true });
Object.defineProperty(fs, 'constants', { value: constants, enumerable: true });
Object.defineProperty(fs, 'promises', {
    configurable: true, enumerable: true,
    get: () => require('fs/promises'),
});

// ---- loaded when they are first used ----

fs.cp = function cp(from, to, options, callback) {
    require('fs/copy').cp(from, to, options, callback);
};
fs.cpSync = function cpSync(from, to, options) {
    require('fs/copy').cpSync(from, to, options);
};
for (const [name, lib] of [['watch', 'fs/watch'], ['watchFile', 'fs/watchfile'],
    ['unwatchFile', 'fs/watchfile'], ['glob', 'fs/glob'], ['globSync', 'fs/glob']])
    fs[name] = { [name](...args) { return require(lib)[name](...args); } }[name];
Object.defineProperty(fs, 'Dir', { configurable: true, enumerable: true,
    get: () => require('fs/dir').Dir });
fs.lchmod = fs.lchmodSync = undefined; // as in Node, except on macOS

// ---- streams ----

// fs/streams fills the prototypes of these when a program first makes a stream
// or uses one of their methods.  So `import fs`, which reads each export, does
// not load it.
function ReadStream(path, options) {
    if (!(this instanceof ReadStream))
        return new ReadStream(path, options);
    require('fs/streams').beginReading(this, path, options);
}

function WriteStream(path, options) {
    if (!(this instanceof WriteStream))
        return new WriteStream(path, options);
    require('fs/streams').beginWriting(this, path, options);
}

function fillLater({ prototype }, names) {
    for (const name of names)
        Object.defineProperty(prototype, name, { configurable: true, enumerable: true,
            get() {
                require('fs/streams');
                return this[name];
            },
            set(value) {
                require('fs/streams');
                this[name] = value;
            } });
}
fillLater(ReadStream, ['open', '_construct', '_read', '_destroy', 'close']);
fillLater(WriteStream, ['open', '_construct', '_write', '_writev', '_destroy', 'close',
    'destroySoon']);
hooks.fileStreams = { ReadStream, WriteStream };
hooks.inheritStreams?.(); // if stream was loaded before

// A program may replace them.
const classes = { ReadStream, WriteStream, FileReadStream: ReadStream,
    FileWriteStream: WriteStream };
for (const name of Object.keys(classes))
    Object.defineProperty(fs, name, {
        configurable: true, enumerable: true,
        get: () => classes[name],
        set(value) { classes[name] = value; },
    });
fs.createReadStream = function createReadStream(path, options) {
    return new classes.ReadStream(path, options);
};
fs.createWriteStream = function createWriteStream(path, options) {
    return new classes.WriteStream(path, options);
};

module.exports = fs;
