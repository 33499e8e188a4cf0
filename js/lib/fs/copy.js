// SPDX-License-Identifier: MIT
// fs/copy -- cp: copy files, links and directories.
//
// The copy is a generator that yields the operations of fs which it needs, and
// the results of a filter.  Two drivers carry them out: one at once, one on the
// pool.
'use strict';

const { ops, now } = require('fs/ops');
const check = require('fs/check');
const path = require('fs/path');
const { opendir } = require('fs/dir');
const { settle } = require('fs/handle');
const { checkFunction, checkObject, coded, describeType, systemError } =
    require('core/errors');
const { errno } = require('system/os').constants;

// ---- errors ----

const texts = {
    ERR_FS_CP_DIR_TO_NON_DIR: 'Cannot overwrite non-directory with directory',
    ERR_FS_CP_EEXIST: 'Target already exists',
    ERR_FS_CP_EINVAL: 'Invalid src or dest',
    ERR_FS_CP_FIFO_PIPE: 'Cannot copy a FIFO pipe',
    ERR_FS_CP_NON_DIR_TO_DIR: 'Cannot overwrite directory with non-directory',
    ERR_FS_CP_SOCKET: 'Cannot copy a socket file',
    ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: 'Cannot overwrite symlink in subdirectory of self',
    ERR_FS_CP_UNKNOWN: 'Cannot copy an unknown file type',
    ERR_FS_EISDIR: 'Path is a directory',
};

function refused(kind, message, where, code = 'EINVAL') {
    return systemError(kind, texts[kind],
        { message, path: where, syscall: 'cp', errno: errno[code], code });
}

const intoItself = (from, to, where = to) => refused('ERR_FS_CP_EINVAL',
    `cannot copy ${from} to a subdirectory of self ${to}`, where);

// ---- checks ----

const isSame = (a, b) => a.ino === b.ino && a.dev === b.dev;

function isBelow(directory, other) {
    const parts = (text) => path.resolve(text).split(path.sep).filter(Boolean);
    const inner = parts(other);
    return parts(directory).every((part, i) => inner[i] === part);
}

const isMissing = (error) => error.code === 'ENOENT';

function* statOrNull(one) {
    try {
        return yield one;
    } catch (error) {
        if (isMissing(error))
            return null;
        throw error;
    }
}

const look = (where, options) =>
    (options.dereference ? ops.stat : ops.lstat)(where, { bigint: true });

// What is at the destination, or null; undefined if the filter says no.
function* checkPaths(from, to, options) {
    if (options.filter && !(yield options.filter(from, to)))
        return undefined;
    const source = yield look(from, options);
    const target = yield* statOrNull(look(to, options));
    if (target !== null) {
        if (isSame(source, target))
            throw refused('ERR_FS_CP_EINVAL', 'src and dest cannot be the same', to);
        if (source.isDirectory() && !target.isDirectory())
            throw refused('ERR_FS_CP_DIR_TO_NON_DIR',
                `cannot overwrite non-directory ${to} with directory ${from}`, to, 'EISDIR');
        if (!source.isDirectory() && target.isDirectory())
            throw refused('ERR_FS_CP_NON_DIR_TO_DIR',
                `cannot overwrite directory ${to} with non-directory ${from}`, to, 'ENOTDIR');
    }
    if (source.isDirectory() && isBelow(from, to))
        throw intoItself(from, to);
    return target;
}

// None of the directories above the destination may be the source.  A link is
// not what it points to.
function* checkParents(from, to, options) {
    const source = yield look(from, options);
    const stop = path.resolve(path.dirname(from));
    for (let below = to, at = path.resolve(path.dirname(to));
        at !== stop && at !== path.dirname(at); below = at, at = path.dirname(at)) {
        const above = yield* statOrNull(ops.stat(at, { bigint: true }));
        if (above === null)
            return;
        if (isSame(source, above))
            throw intoItself(from, below);
    }
}

// ---- copying ----

const WRITABLE = 0o200;

function* copyAttributes(from, to, mode, options) {
    if (options.preserveTimestamps) {
        if ((mode & WRITABLE) === 0)
            yield ops.chmod(to, mode | WRITABLE);
        const { atime, mtime } = yield ops.stat(from);
        yield ops.utimes(to, atime, mtime);
    }
    yield ops.chmod(to, mode);
}

function* copyFile(stats, from, to, target, options) {
    if (target !== null) {
        if (!options.force && options.errorOnExist)
            throw refused('ERR_FS_CP_EEXIST', `${to} already exists`, to, 'EEXIST');
        if (!options.force)
            return;
        yield ops.unlink(to);
    }
    yield ops.copyFile(from, to, options.mode);
    yield* copyAttributes(from, to, Number(stats.mode), options);
}

const resolved = (link, target) => path.isAbsolute(target) ? target
    : path.resolve(path.dirname(link), target);

// The target of a link; undefined if it is not one.
function* linkAt(where) {
    try {
        return resolved(where, yield ops.readlink(where));
    } catch (error) {
        if (error.code === 'EINVAL')
            return undefined;
        throw error;
    }
}

function* copyLink(from, to, target, options) {
    const own = yield ops.readlink(from);
    const text = options.verbatimSymlinks ? own : resolved(from, own);
    const there = target === null ? undefined : yield* linkAt(to);
    if (there !== undefined) {
        if (isBelow(text, there))
            throw intoItself(text, there, to);
        if ((yield ops.stat(from)).isDirectory() && isBelow(there, text))
            throw refused('ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY',
                `cannot overwrite ${there} with ${text}`, to);
        yield ops.unlink(to);
    }
    yield ops.symlink(text, to);
}

function* copyDirectory(stats, from, to, target, options) {
    if (target === null)
        yield ops.mkdir(to);
    const directory = yield opendir(from);
    try {
        for (let entry; (entry = yield { read: directory }) !== null;)
            yield* copyChecked(path.join(from, entry.name), path.join(to, entry.name), options);
    } finally {
        yield { close: directory };
    }
    if (target === null)
        yield ops.chmod(to, Number(stats.mode));
}

function* copyOne(from, to, target, options) {
    const stats = yield look(from, options);
    if (stats.isDirectory()) {
        if (!options.recursive)
            throw refused('ERR_FS_EISDIR', `${from} is a directory (not copied)`, from,
                'EISDIR');
        yield* copyDirectory(stats, from, to, target, options);
    } else if (stats.isFile() || stats.isCharacterDevice() || stats.isBlockDevice())
        yield* copyFile(stats, from, to, target, options);
    else if (stats.isSymbolicLink())
        yield* copyLink(from, to, target, options);
    else if (stats.isSocket())
        throw refused('ERR_FS_CP_SOCKET', `cannot copy a socket file: ${to}`, to);
    else if (stats.isFIFO())
        throw refused('ERR_FS_CP_FIFO_PIPE', `cannot copy a FIFO pipe: ${to}`, to);
    else
        throw refused('ERR_FS_CP_UNKNOWN', `cannot copy an unknown file type: ${to}`, to);
}

function* copyChecked(from, to, options) {
    const target = yield* checkPaths(from, to, options);
    if (target !== undefined)
        yield* copyOne(from, to, target, options);
}

function* copy(from, to, options) {
    const target = yield* checkPaths(from, to, options);
    if (target === undefined)
        return;
    yield* checkParents(from, to, options);
    const parent = path.dirname(to);
    if ((yield* statOrNull(ops.stat(parent))) === null)
        yield ops.mkdir(parent, { recursive: true });
    yield* copyOne(from, to, target, options);
}

// ---- the drivers ----

function asBoolean(value) {
    if (value !== null && typeof value?.then === 'function')
        throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', 'Expected boolean to be returned ' +
            `from the "filter" function but got ${describeType(value)}.`);
    return value;
}

function stepNow(wanted) {
    if (wanted?.fn !== undefined)
        return now(wanted);
    if (wanted?.read !== undefined)
        return wanted.read.readSync();
    return wanted?.close !== undefined ? wanted.close.closeSync() : asBoolean(wanted);
}

function stepLater(wanted) {
    if (wanted?.fn !== undefined)
        return settle(wanted);
    if (wanted?.read !== undefined)
        return wanted.read.read();
    return wanted?.close !== undefined ? wanted.close.close() : wanted;
}

function runNow(steps) {
    for (let step = steps.next(); !step.done;) {
        let value;
        try {
            value = stepNow(step.value);
        } catch (error) {
            step = steps.throw(error);
            continue;
        }
        step = steps.next(value);
    }
}

async function runLater(steps) {
    for (let step = steps.next(); !step.done;) {
        let value;
        try {
            value = await stepLater(step.value);
        } catch (error) {
            step = steps.throw(error);
            continue;
        }
        step = steps.next(value);
    }
}

// ---- the functions ----

const defaults = { dereference: false, errorOnExist: false, filter: undefined, force: true,
    mode: 0, preserveTimestamps: false, recursive: false, verbatimSymlinks: false };

function optionsOf(given) {
    if (given === undefined)
        return { ...defaults };
    checkObject(given, 'options');
    const options = { ...defaults, ...given };
    for (const name of ['dereference', 'errorOnExist', 'force', 'preserveTimestamps',
        'recursive', 'verbatimSymlinks'])
        check.boolean(options[name], `options.${name}`);
    options.mode = check.integer(options.mode, 'mode', 0, 7);
    if (options.dereference && options.verbatimSymlinks)
        throw coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR', 'Option "dereference" cannot ' +
            'be used in combination with option "verbatimSymlinks"');
    if (options.filter !== undefined)
        checkFunction(options.filter, 'options.filter');
    return options;
}

function prepare(from, to, given) {
    const options = optionsOf(given);
    return copy(textOf(check.path(from, 'src')), textOf(check.path(to, 'dest')), options);
}

const textOf = (where) => typeof where === 'string' ? where
    : require('bytes/bytes').toText(where, 'utf8');

function cpSync(from, to, options) {
    runNow(prepare(from, to, options));
}

function cp(from, to, options, callback) {
    if (typeof options === 'function') {
        callback = options;
        options = undefined;
    }
    check.callback(callback);
    runLater(prepare(from, to, options)).then(() => {
        require('program/process').nextTick(callback, null);
    }, (error) => { require('program/process').nextTick(callback, error); });
}

async function cpPromise(from, to, options) {
    return runLater(prepare(from, to, options));
}
Object.defineProperty(cpPromise, 'name', { value: 'cp' });

module.exports = { cp, cpSync, cpPromise };
