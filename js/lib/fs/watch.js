// SPDX-License-Identifier: MIT
// fs/watch -- fs.watch: notifications about files and directories.
//
// A handle is one watched path.  The kernel has one number for each file, so
// handles of the same file share it.  The descriptor behind all of them keeps
// the program alive while one of them does (js/fs/watch.c).
'use strict';

const EventEmitter = require('events/events');
const check = require('fs/check');
const path = require('fs/path');
const { ops, now } = require('fs/ops');
const context = require('core/context');
const { abortError, checkObject, invalidArgValue } = require('core/errors');
const { isEncoding, isUtf8, toBuffer, toText, utf8 } = require('bytes/bytes');

const nextTick = (...args) => require('program/process').nextTick(...args);

// ---- handles ----

const handles = new Map(); // number -> Set of handles
let referenced = 0; // handles that keep the program alive

function addReferences(count) {
    const before = referenced;
    referenced += count;
    if (before > 0 !== referenced > 0)
        native.setRef(referenced > 0);
}

// A name that the kernel reports, and one that is known, as a program wants it.
const nameOf = (bytes, encoding) => encoding === 'buffer' ? toBuffer(bytes)
    : isUtf8(encoding) ? utf8(bytes) : toText(bytes, encoding);

function encoded(text, encoding) {
    if (isUtf8(encoding))
        return text;
    const bytes = require('bytes/buffer').Buffer.from(text);
    return encoding === 'buffer' ? bytes : bytes.toString(encoding);
}

function onEvent(number, mask, name) {
    const type = mask & native.CONTENT ? 'change' : 'rename';
    for (const handle of [...handles.get(number) ?? []]) // those added meanwhile wait
        handle.tell(type, name);
}

class Handle {
    #number = -1;
    #isReferenced;
    #path;
    #encoding;
    #onChange;
    #context = context.context();

    // Returns 0 or -errno.  onChange(type, name, isOwn) is called for each event;
    // isOwn: about the path itself, and not about a file in it.
    start(where, isReferenced, encoding, onChange) {
        const isFirst = handles.size === 0;
        const number = native.add(where, onEvent);
        if (number < 0) {
            if (isFirst)
                native.stop();
            return number;
        }
        if (isFirst)
            native.setRef(false);
        this.#number = number;
        this.#path = where;
        this.#encoding = encoding;
        this.#onChange = onChange;
        if (!handles.has(number))
            handles.set(number, new Set());
        handles.get(number).add(this);
        this.#isReferenced = false;
        this.setRef(isReferenced);
        return 0;
    }

    tell(type, bytes) {
        if (this.#number === -1)
            return;
        const name = bytes !== undefined ? nameOf(bytes, this.#encoding)
            : encoded(path.basename(this.#path), this.#encoding);
        context.callWith(this.#context, this.#onChange, undefined,
            [type, name, bytes === undefined]);
    }

    setRef(isReferenced) {
        if (this.#number === -1 || isReferenced === this.#isReferenced)
            return;
        this.#isReferenced = isReferenced;
        addReferences(isReferenced ? 1 : -1);
    }

    close() {
        const number = this.#number, same = handles.get(number);
        if (number === -1)
            return;
        this.setRef(false);
        this.#number = -1;
        same.delete(this);
        if (same.size > 0)
            return;
        handles.delete(number);
        if (handles.size === 0)
            native.stop();
        else
            native.remove(number);
    }
}

function watchError(err, filename) {
    const error = require('net/errors').pathError(err, 'watch', filename,
        err === -28 ? 'System limit for number of file watchers reached' : undefined);
    error.filename = filename;
    return error;
}

// ---- a tree ----

const ECANCELED = -125;

// One handle for each directory below a path.  It has the methods of a handle.
class Tree {
    #handles = new Map(); // path below the top -> handle
    #top;
    #isReferenced;
    #encoding;
    #onChange;
    #isClosed = false; // by a listener, perhaps

    start(top, isReferenced, encoding, onChange) {
        this.#top = top;
        this.#isReferenced = isReferenced;
        this.#encoding = encoding;
        this.#onChange = onChange;
        const err = this.#add('');
        if (err === 0)
            this.#search('', false);
        return err;
    }

    #add(below) {
        if (this.#isClosed)
            return ECANCELED;
        const handle = new Handle();
        const err = handle.start(path.join(this.#top, below), this.#isReferenced, 'utf8',
            (type, name, isOwn) => this.#onEvent(below, type, name, isOwn));
        if (err === 0)
            this.#handles.set(below, handle);
        return err;
    }

    // What a directory contains; nothing if it is gone, or not a directory.
    #list(below) {
        try {
            return now(ops.readdir(path.join(this.#top, below), { withFileTypes: true }));
        } catch {
            return [];
        }
    }

    // Watch the directories below.  What is found in one that is new is reported.
    #search(below, isNew) {
        for (const entry of this.#list(below)) {
            const inner = path.join(below, entry.name);
            if (isNew)
                this.#tell('rename', inner);
            if (entry.isDirectory() && !this.#handles.has(inner) && this.#add(inner) === 0)
                this.#search(inner, isNew);
        }
    }

    #tell(type, name) {
        if (!this.#isClosed)
            this.#onChange(type, encoded(name, this.#encoding), false);
    }

    #isDirectory(below) {
        try {
            return now(ops.lstat(path.join(this.#top, below))).isDirectory();
        } catch {
            return false;
        }
    }

    #onEvent(below, type, name, isOwn) {
        if (isOwn && below !== '')
            return; // the directory above reports it
        const inner = isOwn ? name : path.join(below, name);
        this.#tell(type, inner);
        if (isOwn || type !== 'rename')
            return;
        for (const [known, handle] of this.#handles) // gone, or another one
            if (known === inner || known.startsWith(`${inner}/`)) {
                handle.close();
                this.#handles.delete(known);
            }
        if (this.#isDirectory(inner) && this.#add(inner) === 0)
            this.#search(inner, true);
    }

    setRef(isReferenced) {
        this.#isReferenced = isReferenced;
        for (const handle of this.#handles.values())
            handle.setRef(isReferenced);
    }

    close() {
        this.#isClosed = true;
        for (const handle of this.#handles.values())
            handle.close();
        this.#handles.clear();
    }
}

// ---- fs.watch ----

class FSWatcher extends EventEmitter {
    #handle; // undefined: closed

    start() {} // that of old versions

    ref() {
        this.#handle?.setRef(true);
        return this;
    }

    unref() {
        this.#handle?.setRef(false);
        return this;
    }

    close() {
        if (this.#handle === undefined)
            return;
        this.#handle.close();
        this.#handle = undefined;
        nextTick(() => this.emit('close'));
    }

    static begin(where, { persistent, recursive, encoding }) {
        const watcher = new FSWatcher();
        const handle = recursive ? new Tree() : new Handle();
        const err = handle.start(where, Boolean(persistent), encoding || 'utf8',
            (type, name) => watcher.emit('change', type, name));
        if (err !== 0)
            throw watchError(err, where);
        watcher.#handle = handle;
        return watcher;
    }
}
const { begin } = FSWatcher;
delete FSWatcher.begin;

const textOf = (where) => typeof where === 'string' ? where : toText(where, 'utf8');

function watch(filename, options, listener) {
    if (typeof options === 'function')
        listener = options;
    const given = { persistent: true, recursive: false, ...check.options(options, {}) };
    const watcher = begin(textOf(check.path(filename)), given);
    if (listener)
        watcher.addListener('change', listener);
    const { signal } = given;
    if (signal?.aborted)
        nextTick(() => watcher.close());
    else if (signal) {
        const onAbort = () => watcher.close();
        signal.addEventListener('abort', onAbort, { once: true });
        watcher.once('close', () => signal.removeEventListener('abort', onAbort));
    }
    return watcher;
}

// ---- fs.promises.watch ----

function optionsOf(options = {}) {
    checkObject(options, 'options');
    const { persistent = true, recursive = false, encoding = 'utf8', signal } = options;
    check.boolean(persistent, 'options.persistent');
    check.boolean(recursive, 'options.recursive');
    if (signal !== undefined)
        check.signal(signal);
    if (encoding && encoding !== 'buffer' && !isEncoding(encoding))
        throw invalidArgValue('encoding', encoding, 'is invalid encoding');
    return { persistent, recursive, encoding, signal };
}

// Events that come while nobody waits are kept.
async function* watchEvents(filename, options) {
    const where = textOf(check.path(filename));
    const { persistent, recursive, encoding, signal } = optionsOf(options);
    if (signal?.aborted)
        throw abortError(signal);
    const handle = recursive ? new Tree() : new Handle();
    const events = [];
    let wake = () => {};
    const onAbort = () => {
        handle.close();
        wake();
    };
    const err = handle.start(where, persistent, encoding || 'utf8', (eventType, name) => {
        events.push({ eventType, filename: name });
        wake();
    });
    if (err !== 0)
        throw watchError(err, where);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
        for (;;) {
            if (signal?.aborted)
                throw abortError(signal);
            if (events.length > 0)
                yield events.shift();
            else
                await new Promise((resolve) => { wake = resolve; });
        }
    } finally {
        handle.close();
        signal?.removeEventListener('abort', onAbort);
    }
}
Object.defineProperty(watchEvents, 'name', { value: 'watch' });

module.exports = { watch, watchEvents };
