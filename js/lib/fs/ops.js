// SPDX-License-Identifier: MIT
// fs/ops -- the operations of fs: check and convert their arguments for C, and
// C's result for the program.  fs and fs/promises build their functions on
// these.
'use strict';

const check = require('fs/check');
const { Stats, BigIntStats, StatFs, Dirent } = require('fs/stats');
const { isUtf8, toBuffer, toText, utf8 } = require('bytes/bytes');
const { abortError, checkObject, coded, invalidArgType, outOfRange, systemError } =
    require('core/errors');

// fn: a function of C; take: converts its result; fail: converts its error.
function op(fn, args, take, more) {
    return { fn, args, take, ...more };
}
const nothing = () => undefined;

// Convert a path that C returns as bytes.
function asPath(encoding) {
    if (encoding === 'buffer')
        return toBuffer;
    if (encoding && !isUtf8(encoding))
        return (bytes) => toText(bytes, encoding);
    return utf8;
}

function look(name, where, options) {
    const isBig = Boolean(options?.bigint);
    const Kind = isBig ? BigIntStats : Stats;
    return op(native[name], [where, isBig], (fields) => new Kind(...fields),
        { mayMiss: options?.throwIfNoEntry === false });
}

function fileOf(value) {
    return typeof value === 'number' && value === (value | 0) ? check.fd(value)
        : check.path(value);
}

function readdir(path, options) {
    options = check.options(options, {});
    if (options.recursive !== undefined && options.recursive !== null)
        check.boolean(options.recursive, 'options.recursive');
    const top = check.path(path);
    const { withFileTypes = false, recursive = false, encoding } = options;
    const isRaw = Boolean(encoding) && !isUtf8(encoding);
    const name = (value) => isRaw ? asPath(encoding)(value) : value;
    const join = (below, last) => require('fs/path').join(below, last);
    return op(native.readdir, [top, Boolean(withFileTypes), Boolean(recursive), isRaw],
        ([names, types, directories]) => names.map((entry, i) => {
            const below = directories[i];
            if (withFileTypes)
                return new Dirent(name(entry), types[i],
                    below === '' ? path : join(path, below));
            return below === '' || isRaw ? name(entry) : join(below, entry);
        }));
}

// ---- an open directory ----

const openDirectory = (path) => op(native.opendir, [check.path(path)], Number);

// The next entries: [names, types].
function readEntries(fd, count, encoding) {
    const isRaw = Boolean(encoding) && !isUtf8(encoding);
    return op(native.readEntries, [fd, count, false, isRaw], ([names, types]) =>
        [isRaw ? names.map(asPath(encoding)) : names, types]);
}

function statfs(path, options = { bigint: false }) {
    const isBig = Boolean(options?.bigint);
    return op(native.statfs, [check.path(path), isBig], (fields) => new StatFs(...fields));
}

function readFile(path, options) {
    options = check.options(options, { flag: 'r' });
    const { encoding } = options;
    const isText = Boolean(encoding) && isUtf8(encoding);
    return op(native.readFile, [fileOf(path), check.flags(options.flag, 'options.flag'), isText],
        (content) => isText ? content
            : !encoding ? toBuffer(content)
                : toText(content, encoding),
        { signal: options.signal, fail: tooLarge });
}

function tooLarge(error) {
    return error.code !== 'EFBIG' ? error : coded(RangeError, 'ERR_FS_FILE_TOO_LARGE',
        'File size is greater than 2 GiB');
}

function writeFile(path, data, options, flag = 'w') {
    options = check.options(options, { encoding: 'utf8', mode: 0o666, flag, flush: false });
    if (options.flush !== undefined && options.flush !== null)
        check.boolean(options.flush, 'options.flush');
    return op(native.writeFile, [fileOf(path), check.data(data, options.encoding),
        check.flags(options.flag ?? flag), check.mode(options.mode, 'mode', 0o666),
        Boolean(options.flush)], nothing, { signal: options.signal });
}

function mkdir(path, options) {
    let mode = 0o777, recursive = false;
    if (typeof options === 'number' || typeof options === 'string')
        mode = check.mode(options, 'mode');
    else if (options) {
        if (options.recursive !== undefined)
            recursive = check.boolean(options.recursive, 'options.recursive');
        if (options.mode !== undefined)
            mode = check.mode(options.mode, 'mode');
    }
    return op(native.mkdir, [check.path(path), mode, recursive],
        (first) => recursive ? first : undefined);
}

// What native.rm removes (js/fs/tree.c).
const ANYTHING = 0, DIRECTORY = 1, DIRECTORY_OR_LINK = 2;

function rmOptions(options = {}, isOld = false) {
    checkObject(options, 'options');
    const { recursive = false, force = false, maxRetries = 0, retryDelay = 100 } = options;
    check.boolean(recursive, 'options.recursive');
    if (!isOld)
        check.boolean(force, 'options.force');
    return [recursive, isOld ? false : force,
        check.integer(maxRetries, 'options.maxRetries', 0, 4294967295),
        check.integer(retryDelay, 'options.retryDelay', 0, 2147483647)];
}

function rm(path, options) {
    const where = check.path(path);
    return op(native.rm, [where, ...rmOptions(options), ANYTHING], nothing, {
        fail(error) {
            if (error.code !== 'EISDIR')
                return error;
            return systemError('ERR_FS_EISDIR', 'Path is a directory', { code: 'EISDIR',
                message: 'is a directory', path, syscall: 'rm', errno: 21 });
        },
    });
}

const warned = new Set(); // codes: each once

function deprecate(text, code) {
    if (!warned.has(code))
        require('program/process').emitWarning(text, 'DeprecationWarning', code);
    warned.add(code);
}

function rmdir(path, options, kind = DIRECTORY) {
    const where = check.path(path);
    if (!options?.recursive)
        return op(native.rmdir, [where], nothing);
    deprecate('In future versions of Node.js, fs.rmdir(path, { recursive: true }) will be ' +
        'removed. Use fs.rm(path, { recursive: true }) instead', 'DEP0147');
    return op(native.rm, [where, ...rmOptions(options, true), kind], nothing);
}

// ---- descriptors ----

// Check the offset and length of a range in a view.
function range(view, offset, length, isRead) {
    const size = view.byteLength;
    offset = offset === undefined || offset === null ? 0 : check.integer(offset, 'offset', 0);
    length ??= size - offset;
    if (typeof length !== 'number')
        throw invalidArgType('length', 'of type number', length);
    if (!isRead && offset > size)
        throw outOfRange('offset', `<= ${size}`, offset);
    if (length < 0)
        throw outOfRange('length', '>= 0', length);
    if (length > size - offset)
        throw outOfRange('length', `<= ${size - offset}`, length);
    return [offset, Math.trunc(length) || 0];
}

function checkView(view, name = 'buffer', text = '') {
    if (!ArrayBuffer.isView(view))
        throw invalidArgType(name,
            `${text}an instance of Buffer, TypedArray, or DataView`, view);
}

// read(fd, view, offset, length, position), or with an object after the view.
function read(fd, view, offset, length, position) {
    check.fd(fd);
    checkView(view);
    if (arguments.length <= 3 && offset !== undefined) {
        if (offset !== null && typeof offset !== 'object')
            throw invalidArgType('options', 'of type object', offset);
        ({ offset = 0, length, position } = offset ?? {});
    }
    [offset, length] = range(view, offset, length, true);
    return op(native.read, [fd, length, check.position(position)], (bytes) => {
        new Uint8Array(view.buffer, view.byteOffset + offset, bytes.byteLength)
            .set(new Uint8Array(bytes));
        return bytes.byteLength;
    });
}

// Into a new Buffer, whose size is what was read.
const readNew = (fd, length, position) =>
    op(native.read, [fd, length, check.position(position)], toBuffer);

// write(fd, view, offset, length, position), write(fd, text, position, encoding)
function write(fd, data, offset, length, position) {
    check.fd(fd);
    if (typeof data === 'string') {
        const encoding = typeof length === 'string' ? length : 'utf8';
        return op(native.write, [fd, check.data(data, encoding, 'buffer'),
            check.position(offset)], Number);
    }
    checkView(data, 'buffer', 'of type string or ');
    if (offset !== null && typeof offset === 'object')
        ({ offset = 0, length, position } = offset);
    [offset, length] = range(data, offset, length, false);
    return op(native.write, [fd, new Uint8Array(data.buffer, data.byteOffset + offset, length),
        check.position(position)], Number);
}

// ---- several buffers ----

function checkViews(buffers) {
    if (!Array.isArray(buffers) || !buffers.every(ArrayBuffer.isView))
        throw invalidArgType('buffers', 'an ArrayBufferView[]', buffers);
}

function bytesIn(views) {
    let size = 0;
    for (let i = 0; i < views.length; i++)
        size += views[i].byteLength;
    return size;
}

const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const positionOf = (position) => (typeof position === 'number' ? check.position(position) : -1);

function writev(fd, buffers, position) {
    check.fd(fd);
    checkViews(buffers);
    const all = new Uint8Array(bytesIn(buffers));
    for (let i = 0, at = 0; i < buffers.length; at += buffers[i++].byteLength)
        all.set(bytesOf(buffers[i]), at);
    return op(native.write, [fd, all, positionOf(position)], Number);
}

function readv(fd, buffers, position) {
    check.fd(fd);
    checkViews(buffers);
    return op(native.read, [fd, bytesIn(buffers), positionOf(position)], (read) => {
        const bytes = new Uint8Array(read);
        for (let i = 0, at = 0; at < bytes.length; at += buffers[i++].byteLength)
            bytesOf(buffers[i]).set(bytes.subarray(at, at + buffers[i].byteLength));
        return bytes.length;
    });
}

// Check the options first, because they determine the form of the result.
function pathFrom(fn, options, args) {
    const take = asPath(check.options(options, {}).encoding);
    return op(fn, args(), take);
}

// Node's own: accepts any value as text, and ".." removes the name of a link.
const realpath = (path, options) => pathFrom(native.realpath, options, () => [
    require('fs/path').resolve(check.path(check.isURL(path) ? path : `${path}`)), true]);

const pathOp = (name, ...rest) => op(native[name], rest, nothing);

function truncate(path, length = 0) {
    if (typeof path !== 'number')
        return pathOp('truncate', check.path(path),
            Math.max(0, check.integer(length ?? 0, 'len')));
    deprecate('Using fs.truncate with a file descriptor is deprecated. Please use ' +
        'fs.ftruncate with a file descriptor instead.', 'DEP0081');
    return ops.ftruncate(path, length);
}

const ops = {
    access: (path, mode) => pathOp('access', check.path(path), check.bits(mode)),
    appendFile: (path, data, options) => writeFile(path, data, options, 'a'),
    chmod: (path, mode) => pathOp('chmod', check.path(path), check.mode(mode, 'mode')),
    chown: (path, uid, gid) => pathOp('chown', check.path(path),
        check.id(uid, 'uid'), check.id(gid, 'gid')),
    close: (fd) => pathOp('close', check.fd(fd)),
    copyFile: (from, to, mode) => pathOp('copyFile', check.path(from, 'src'),
        check.path(to, 'dest'), check.bits(mode)),
    fchmod: (fd, mode) => pathOp('fchmod', check.fd(fd), check.mode(mode, 'mode')),
    fchown: (fd, uid, gid) => pathOp('fchown', check.fd(fd),
        check.id(uid, 'uid'), check.id(gid, 'gid')),
    fdatasync: (fd) => pathOp('fdatasync', check.fd(fd)),
    fstat: (fd, options) => look('fstat', check.fd(fd), options),
    fsync: (fd) => pathOp('fsync', check.fd(fd)),
    ftruncate: (fd, length = 0) => pathOp('ftruncate', check.fd(fd),
        Math.max(0, check.integer(length ?? 0, 'len'))),
    futimes: (fd, atime, mtime) => pathOp('futimes', check.fd(fd),
        check.time(atime, 'atime'), check.time(mtime, 'mtime')),
    lchown: (path, uid, gid) => pathOp('lchown', check.path(path),
        check.id(uid, 'uid'), check.id(gid, 'gid')),
    link: (from, to) => pathOp('link', check.path(from, 'existingPath'),
        check.path(to, 'newPath')),
    lstat: (path, options) => look('lstat', check.path(path), options),
    lutimes: (path, atime, mtime) => pathOp('lutimes', check.path(path),
        check.time(atime), check.time(mtime)),
    mkdir,
    mkdtemp: (prefix, options) => pathFrom(native.mkdtemp, options,
        () => [check.path(prefix, 'prefix')]),
    opendir: (path, options) => require('fs/dir').opendir(path, options),
    open: (path, flags, mode) => op(native.open, [check.path(path), check.flags(flags),
        check.mode(mode, 'mode', 0o666)], Number),
    read, readdir, readFile, readv,
    readlink: (path, options) => pathFrom(native.readlink, options,
        () => [check.path(path, 'oldPath')]),
    realpath,
    rename: (from, to) => pathOp('rename', check.path(from, 'oldPath'),
        check.path(to, 'newPath')),
    rm, rmdir: (path, options) => rmdir(path, options),
    stat: (path, options) => look('stat', check.path(path), options),
    statfs,
    symlink: (target, path, type) => pathOp('symlink', check.path(target, 'target'),
        check.path(path), check.linkType(type)),
    truncate,
    unlink: (path) => pathOp('unlink', check.path(path)),
    utimes: (path, atime, mtime) => pathOp('utimes', check.path(path),
        check.time(atime), check.time(mtime)),
    write, writeFile, writev,
};
// These are not functions of fs.
for (const [name, value] of Object.entries({ openDirectory, readEntries }))
    Object.defineProperty(ops, name, { value });

// realpath.native: what the system returns, unchanged.
const realpathNative = (path, options) => pathFrom(native.realpath, options,
    () => [check.path(path), false]);

// ---- execution ----

function miss(one, error) {
    return one.mayMiss && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function now(one) {
    let answer;
    try {
        answer = one.fn(undefined, undefined, ...one.args);
    } catch (error) {
        if (miss(one, error))
            return undefined;
        throw one.fail?.(error) ?? error;
    }
    return one.take(answer);
}

// Run it on the pool; one of the two functions is called then.
function later(one, resolve, reject) {
    const { signal } = one;
    let isOver = false;
    const end = () => {
        isOver = true;
        signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error) => {
        if (isOver)
            return;
        end();
        reject(error);
    };
    function onAbort() { fail(abortError(signal)); }
    if (signal?.aborted) {
        reject(abortError(signal));
        return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    one.fn((answer) => {
        if (isOver)
            return;
        end();
        let value;
        try {
            value = one.take(answer);
        } catch (error) {
            reject(error);
            return;
        }
        resolve(value);
    }, (error) => fail(one.fail?.(error) ?? error), ...one.args);
}

// fs.promises.rmdir: follows a link when it looks, and then removes the link.
const rmdirFollowing = (path, options) => rmdir(path, options, DIRECTORY_OR_LINK);

module.exports = { ops, readNew, realpathNative, rmdirFollowing, now, later, checkView };
