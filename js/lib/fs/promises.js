// SPDX-License-Identifier: MIT
// fs/promises -- files and directories, with promises.
'use strict';

const { ops, realpathNative, rmdirFollowing } = require('fs/ops');
const check = require('fs/check');
const constants = require('fs/constants');
const { FileHandle, isPieces, settle } = require('fs/handle');
const { abortError, coded } = require('core/errors');

async function writeToPath(path, pieces, options, flag) {
    const given = check.options(options, { flag });
    if (given.signal?.aborted)
        throw abortError(given.signal);
    const handle = await promises.open(path, given.flag || flag, given.mode);
    try {
        await handle.writeFile(pieces, options);
        if (given.flush)
            await handle.sync();
    } finally {
        await handle.close();
    }
}

// ---- the functions ----

const names = ['access', 'appendFile', 'chmod', 'chown', 'copyFile', 'lchown', 'link',
    'lstat', 'lutimes', 'mkdir', 'mkdtemp', 'opendir', 'readdir', 'readFile', 'readlink',
    'rename', 'rm', 'stat', 'statfs', 'symlink', 'truncate', 'unlink', 'utimes', 'writeFile'];
const promises = {};
for (const name of names)
    promises[name] = { async [name](...args) {
        const [first, ...rest] = args;
        const takesFile = /^(append|read|write)File$/.test(name);
        if (takesFile && first instanceof FileHandle)
            return first[name](...rest);
        if (takesFile && typeof first === 'number') {
            ops[name]('', ...rest); // complain about these first
            check.path(first); // a descriptor is not accepted: throws
        }
        if (/^(append|write)File$/.test(name) && isPieces(rest[0]))
            return writeToPath(first, rest[0], rest[1], name[0]); // the flag: 'a' or 'w'
        return settle(ops[name](...args));
    } }[name];
promises.realpath = async function realpath(path, options) {
    return settle(realpathNative(path, options));
};
promises.rmdir = async function rmdir(path, options) {
    return settle(rmdirFollowing(path, options));
};
promises.open = async function open(path, flags, mode) {
    return new FileHandle(await settle(ops.open(path, flags, mode)));
};
promises.cp = async function cp(from, to, options) {
    return require('fs/copy').cpPromise(from, to, options);
};
promises.glob = function glob(pattern, options) {
    return require('fs/glob').globPromise(pattern, options);
};
promises.watch = function watch(filename, options) {
    return require('fs/watch').watchEvents(filename, options);
};
promises.lchmod = async function lchmod() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED',
        'The lchmod() method is not implemented');
};
Object.defineProperty(promises, 'constants', { value: constants, enumerable: true });

module.exports = promises;
