// SPDX-License-Identifier: MIT
// fs -- files and directories, with callbacks or synchronously.
'use strict';

const { ops, realpathNative, now, later } = require('fs/ops');
const check = require('fs/check');
const constants = require('fs/constants');
const { toBuffer } = require('bytes/bytes');

function named(name, fn) {
    return Object.defineProperty(fn, 'name', { value: name });
}

// The callback is the first function after the first argument.  Where options
// may be omitted, Node complains about what stands in their place.
const optional = new Set(['appendFile', 'mkdtemp', 'open', 'readFile', 'readdir', 'readv',
    'writeFile', 'writev']);

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
const valued = new Set(['fstat', 'lstat', 'mkdir', 'mkdtemp', 'open', 'read', 'readdir',
    'readFile', 'readlink', 'realpath', 'stat', 'write']);
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

// The streams are loaded when a program first asks for one.
fs.createReadStream = function createReadStream(path, options) {
    return new (require('fs/streams').ReadStream)(path, options);
};
fs.createWriteStream = function createWriteStream(path, options) {
    return new (require('fs/streams').WriteStream)(path, options);
};
for (const [name, own] of [['ReadStream', 'ReadStream'], ['WriteStream', 'WriteStream'],
    ['FileReadStream', 'ReadStream'], ['FileWriteStream', 'WriteStream']]) {
    let value;
    Object.defineProperty(fs, name, {
        configurable: true, enumerable: true,
        get: () => value ??= require('fs/streams')[own],
        set(given) { value = given; },
    });
}

module.exports = fs;
