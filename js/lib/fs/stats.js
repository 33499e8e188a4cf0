// SPDX-License-Identifier: MIT
// fs/stats -- what is known of a file or a file system: Stats, BigIntStats, StatFs, Dirent.
'use strict';

const constants = require('fs/constants');
const { S_IFMT } = constants;

class StatsBase {
    constructor(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks) {
        this.dev = dev;
        this.mode = mode;
        this.nlink = nlink;
        this.uid = uid;
        this.gid = gid;
        this.rdev = rdev;
        this.blksize = blksize;
        this.ino = ino;
        this.size = size;
        this.blocks = blocks;
    }
}
const kinds = { isDirectory: 'S_IFDIR', isFile: 'S_IFREG', isBlockDevice: 'S_IFBLK',
    isCharacterDevice: 'S_IFCHR', isSymbolicLink: 'S_IFLNK', isFIFO: 'S_IFIFO',
    isSocket: 'S_IFSOCK' };
for (const [name, constant] of Object.entries(kinds))
    Object.defineProperty(StatsBase.prototype, name, { writable: true, configurable: true,
        value: { [name]() {
            return (Number(this.mode) & S_IFMT) === constants[constant];
        } }[name] });

const date = (ms) => new Date(Math.round(Number(ms)));

// The seconds and nanoseconds of each time follow the fields of the base.
class Stats extends StatsBase {
    constructor(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks,
        atime, atimeNs, mtime, mtimeNs, ctime, ctimeNs, birthtime, birthtimeNs) {
        super(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks);
        this.atimeMs = atime * 1e3 + atimeNs / 1e6;
        this.mtimeMs = mtime * 1e3 + mtimeNs / 1e6;
        this.ctimeMs = ctime * 1e3 + ctimeNs / 1e6;
        this.birthtimeMs = birthtime * 1e3 + birthtimeNs / 1e6;
        this.atime = date(this.atimeMs);
        this.mtime = date(this.mtimeMs);
        this.ctime = date(this.ctimeMs);
        this.birthtime = date(this.birthtimeMs);
    }
}

const times = ['atime', 'mtime', 'ctime', 'birthtime'];

class BigIntStats extends StatsBase {
    constructor(...fields) {
        super(...fields);
        const ns = times.map((_, i) => fields[10 + 2 * i] * 1000000000n + fields[11 + 2 * i]);
        times.forEach((name, i) => { this[`${name}Ms`] = ns[i] / 1000000n; });
        times.forEach((name, i) => { this[`${name}Ns`] = ns[i]; });
        for (const name of times)
            this[name] = date(this[`${name}Ms`]);
    }
}

class StatFs {
    constructor(type, bsize, blocks, bfree, bavail, files, ffree) {
        this.type = type;
        this.bsize = bsize;
        this.blocks = blocks;
        this.bfree = bfree;
        this.bavail = bavail;
        this.files = files;
        this.ffree = ffree;
    }
}

const kType = Symbol('type');

class Dirent {
    constructor(name, type, path) {
        this.name = name;
        this.parentPath = path;
        this.path = path;
        this[kType] = type;
    }
    isFile() { return this[kType] === constants.UV_DIRENT_FILE; }
    isDirectory() { return this[kType] === constants.UV_DIRENT_DIR; }
    isSymbolicLink() { return this[kType] === constants.UV_DIRENT_LINK; }
    isFIFO() { return this[kType] === constants.UV_DIRENT_FIFO; }
    isSocket() { return this[kType] === constants.UV_DIRENT_SOCKET; }
    isCharacterDevice() { return this[kType] === constants.UV_DIRENT_CHAR; }
    isBlockDevice() { return this[kType] === constants.UV_DIRENT_BLOCK; }
}

module.exports = { Stats, BigIntStats, StatFs, Dirent };
