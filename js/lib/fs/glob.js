// SPDX-License-Identifier: MIT
// fs/glob -- the files whose names match patterns: Node 22's glob.
//
// One walk serves the synchronous and the asynchronous functions: a generator that yields what it
// wants to know, and what it has found.
'use strict';

const { now, ops } = require('fs/ops');
const { settle } = require('fs/handle');
const { Dirent } = require('fs/stats');
const check = require('fs/check');
const constants = require('fs/constants');
const { compile, isGlobstar } = require('fs/patterns');
const { basename, dirname, isAbsolute, join, resolve } = require('fs/path');
const { invalidArgType } = require('core/errors');

const nextTick = (...args) => require('program/process').nextTick(...args);

// What the walk yields.
const LIST = 0, LOOK = 1, FOUND = 2;

// ---- arguments ----

function strings(value, name) {
    if (typeof value === 'string')
        return [value];
    if (!Array.isArray(value))
        throw invalidArgType(name, 'of type string or an instance of Array', value);
    value.forEach((one, i) => {
        if (typeof one !== 'string')
            throw invalidArgType(`${name}[${i}]`, 'of type string', one);
    });
    return value;
}

// Whether a path is excluded.  An absolute path is compared with absolute patterns, and a path
// below the working directory with the others.
function excluding(exclude, withFileTypes) {
    if (exclude === undefined || exclude === null)
        return () => false;
    if (typeof exclude === 'function')
        return (path, entry) => Boolean(exclude(withFileTypes ? entry : entry.name));
    if (!Array.isArray(exclude))
        throw invalidArgType('options.exclude', 'of type function or an instance of Array', exclude);
    const patterns = strings(exclude, 'options.exclude').map((one) =>
        ({ isAbsolute: isAbsolute(one), pattern: compile(one.replace(/^(\.\/+)+/, '')) }));
    return (path) => patterns.some((one) =>
        one.isAbsolute === isAbsolute(path) && one.pattern.match(path));
}

function plan(pattern, options) {
    const given = strings(pattern, 'patterns');
    if (options !== undefined && options !== null && typeof options !== 'object')
        throw invalidArgType('options', 'of type object', options);
    const { cwd = '.', exclude, withFileTypes = false } = options ?? {};
    check.boolean(withFileTypes, 'options.withFileTypes');
    return { cwd: resolve(check.path(cwd, 'options.cwd')), withFileTypes,
        isExcluded: excluding(exclude, withFileTypes),
        alternatives: given.flatMap((one) => compile(one).set) };
}

// ---- the walk ----

const kinds = [['isFile', constants.UV_DIRENT_FILE], ['isDirectory', constants.UV_DIRENT_DIR],
    ['isSymbolicLink', constants.UV_DIRENT_LINK], ['isFIFO', constants.UV_DIRENT_FIFO],
    ['isSocket', constants.UV_DIRENT_SOCKET], ['isCharacterDevice', constants.UV_DIRENT_CHAR],
    ['isBlockDevice', constants.UV_DIRENT_BLOCK]];

class Walk {
    constructor(given) {
        Object.assign(this, given);
        this.found = new Set();
        this.excluded = new Map(); // path: answer
    }

    * run() {
        for (const parts of this.alternatives) {
            this.parts = parts;
            this.seen = new Set();
            if (parts[0] === '' && parts.length > 1)
                yield* this.from('/', undefined, 1);
            else
                yield* this.from('.', undefined, 0);
        }
    }

    // What matches the parts from `index` on, at a path that matches those before.  The entry of
    // the path is known if it was read from a directory.
    * from(path, entry, index) {
        const key = `${index} ${path}`;
        if (this.seen.has(key))
            return;
        this.seen.add(key);
        const { parts } = this;
        const part = parts[index], isLast = index === parts.length - 1;
        if (index > 0 && path !== '.' && path !== '/') {
            entry ??= yield* this.look(path);
            if (entry === undefined || this.skips(path, entry))
                return;
        }
        if (index === parts.length)
            yield* this.emit(path, entry);
        else if (isGlobstar(part))
            yield* this.below(path, entry, index, isLast);
        else if (part === '' || part === '.' || part === '..')
            yield* this.step(path, entry, index);
        else if (typeof part === 'string')
            yield* this.from(join(path, part), undefined, index + 1);
        else
            for (const one of yield [LIST, path])
                if (part.test(one.name) && (isLast || !one.isFile()))
                    yield* this.from(join(path, one.name), one, index + 1);
    }

    // `**`: this directory and all below it, without hidden ones.  Links are not searched, but
    // the parts that follow may be found in one, unless the pattern begins with `**`.
    * below(path, entry, index, isLast) {
        const entries = yield [LIST, path];
        if (entries.isMissing)
            return;
        yield* this.from(path, entry, index + 1);
        for (const one of entries) {
            const next = join(path, one.name);
            if (one.name.startsWith('.'))
                continue;
            if (one.isDirectory())
                yield* this.from(next, one, index);
            else if (isLast || (index > 0 && one.isSymbolicLink()))
                yield* this.from(next, one, index + 1);
        }
    }

    // A slash at the end, `.` and `..`: the path must be a directory.
    * step(path, entry, index) {
        if ((yield [LIST, path]).isMissing)
            return;
        if (this.parts[index] === '..')
            yield* this.from(join(path, '..'), undefined, index + 1);
        else
            yield* this.from(path, entry, index + 1);
    }

    * look(path) {
        const whole = resolve(this.cwd, path), stats = yield [LOOK, path];
        return stats && new Dirent(basename(whole), kinds.find(([is]) => stats[is]())?.[1],
            dirname(whole));
    }

    // A program's function is asked once for each path.
    skips(path, entry) {
        let answer = this.excluded.get(path);
        if (answer === undefined)
            this.excluded.set(path, answer = this.isExcluded(path, entry));
        return answer;
    }

    * emit(path, entry) {
        if (this.found.has(path))
            return;
        this.found.add(path);
        if (this.withFileTypes)
            entry ??= yield* this.look(path);
        yield [FOUND, this.withFileTypes ? entry : path];
    }
}

// What the walk wants to know, as an operation, and the answer if there is no such thing.
function asked(walk, [what, path]) {
    const whole = resolve(walk.cwd, path);
    return what === LIST ? ops.readdir(whole, { withFileTypes: true }) : ops.lstat(whole, {});
}

const missing = Object.assign([], { isMissing: true });

function failed([what], error) {
    if (error.code === 'ERR_ACCESS_DENIED')
        throw error;
    return what === LIST ? missing : undefined;
}

// ---- the functions ----

function globSync(pattern, options) {
    const walk = new Walk(plan(pattern, options)), steps = walk.run(), found = [];
    let answer;
    for (;;) {
        const { value, done } = steps.next(answer);
        if (done)
            return found;
        if (value[0] === FOUND) {
            found.push(value[1]);
            continue;
        }
        try {
            answer = now(asked(walk, value));
        } catch (error) {
            answer = failed(value, error);
        }
    }
}

async function* search(walk) {
    const steps = walk.run();
    let answer;
    for (;;) {
        const { value, done } = steps.next(answer);
        if (done)
            return;
        if (value[0] === FOUND) {
            yield value[1];
            continue;
        }
        try {
            answer = await settle(asked(walk, value));
        } catch (error) {
            answer = failed(value, error);
        }
    }
}

function glob(pattern, options, callback) {
    if (typeof options === 'function') {
        callback = options;
        options = undefined;
    }
    check.callback(callback);
    const walk = new Walk(plan(pattern, options));
    (async () => {
        const found = [];
        for await (const one of search(walk))
            found.push(one);
        return found;
    })().then((found) => nextTick(callback, null, found),
        (error) => nextTick(callback, error));
}

const globPromise = (pattern, options) => search(new Walk(plan(pattern, options)));

module.exports = { glob, globPromise, globSync };
