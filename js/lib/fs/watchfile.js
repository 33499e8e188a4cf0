// SPDX-License-Identifier: MIT
// fs/watchfile -- fs.watchFile: look at a file again and again.
'use strict';

const EventEmitter = require('events/events');
const check = require('fs/check');
const path = require('fs/path');
const { ops, later } = require('fs/ops');
const { invalidArgType } = require('core/errors');

const nextTick = (...args) => require('program/process').nextTick(...args);

function textOf(filename) {
    const where = check.path(filename);
    return typeof where === 'string' ? where : require('bytes/bytes').toText(where, 'utf8');
}

const files = new Map(); // resolved path -> StatWatcher
const DEFAULT_INTERVAL_MS = 5007;

const fieldsThatCount = ['ctimeMs', 'mtimeMs', 'birthtimeMs', 'size', 'mode', 'uid', 'gid',
    'ino', 'dev'];

class StatWatcher extends EventEmitter {
    #path;
    #interval;
    #isBig;
    #isReferenced;
    #timer;
    #last; // undefined: not looked at yet
    #isStopped = false;

    constructor(where, { interval, bigint, persistent }) {
        super();
        this.#path = where;
        this.#interval = interval;
        this.#isBig = bigint;
        this.#isReferenced = persistent;
        this.#look();
    }

    #none() { // of a file that does not exist
        const { Stats, BigIntStats } = require('fs/stats');
        return this.#isBig ? new BigIntStats(...Array(18).fill(0n))
            : new Stats(...Array(18).fill(0));
    }

    #look() {
        later(ops.stat(this.#path, { bigint: this.#isBig }),
            (stats) => this.#compare(stats, true), () => this.#compare(this.#none(), false));
    }

    #compare(stats, exists) {
        if (this.#isStopped)
            return;
        const isFirst = this.#last === undefined, before = this.#last ?? this.#none();
        this.#last = stats;
        this.#timer = require('timers/timers').setTimeout(() => this.#look(), this.#interval);
        if (!this.#isReferenced)
            this.#timer.unref();
        if (isFirst ? !exists : fieldsThatCount.some((name) => stats[name] !== before[name]))
            this.emit('change', stats, before);
    }

    ref() {
        this.#isReferenced = true;
        this.#timer?.ref();
        return this;
    }

    unref() {
        this.#isReferenced = false;
        this.#timer?.unref();
        return this;
    }

    stop() {
        if (this.#isStopped)
            return;
        this.#isStopped = true;
        require('timers/timers').clearTimeout(this.#timer);
        nextTick(() => this.emit('stop'));
    }
}

function watchFile(filename, options, listener) {
    const where = path.resolve(textOf(filename));
    if (options === null || typeof options !== 'object') {
        listener = options;
        options = {};
    }
    if (typeof listener !== 'function')
        throw invalidArgType('listener', 'of type function', listener);
    const { interval = DEFAULT_INTERVAL_MS, bigint = false, persistent = true } = options;
    let watcher = files.get(where);
    if (watcher === undefined) {
        check.integer(interval, 'interval', 0, 4294967295);
        watcher = new StatWatcher(where, { interval, bigint: Boolean(bigint),
            persistent: Boolean(persistent) });
        files.set(where, watcher);
    }
    watcher.addListener('change', listener);
    return watcher;
}

function unwatchFile(filename, listener) {
    const where = path.resolve(textOf(filename));
    const watcher = files.get(where);
    if (watcher === undefined)
        return;
    if (typeof listener === 'function')
        watcher.removeListener('change', listener);
    else
        watcher.removeAllListeners('change');
    if (watcher.listenerCount('change') === 0) {
        watcher.stop();
        files.delete(where);
    }
}

module.exports = { watchFile, unwatchFile };
