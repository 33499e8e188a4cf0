// SPDX-License-Identifier: MIT
// fs/stats -- what is known about a file: Stats, BigIntStats, Dirent.
'use strict';

const constants = require('fs/constants');
const { S_IFMT } = constants;

class StatsBase {
    constructor(fields) {
        [this.dev, this.mode, this.nlink, this.uid, this.gid, this.rdev,
            this.blksize, this.ino, this.size, this.blocks] = fields;
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

const times = ['atime', 'mtime', 'ctime', 'birthtime'];

function addDates(stats) {
    for (const name of times)
        stats[name] = new Date(Math.round(Number(stats[`${name}Ms`])));
}

class Stats extends StatsBase {
    constructor(...fields) {
        super(fields);
        times.forEach((name, i) => {
            this[`${name}Ms`] = fields[10 + 2 * i] * 1e3 + fields[11 + 2 * i] / 1e6;
        });
        addDates(this);
    }
}

class BigIntStats extends StatsBase {
    constructor(...fields) {
        super(fields);
        const ns = times.map((_, i) => fields[10 + 2 * i] * 1000000000n + fields[11 + 2 * i]);
        times.forEach((name, i) => { this[`${name}Ms`] = ns[i] / 1000000n; });
        times.forEach((name, i) => { this[`${name}Ns`] = ns[i]; });
        addDates(this);
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

module.exports = { Stats, BigIntStats, Dirent };
