// SPDX-License-Identifier: MIT
// process/process -- ChildProcess: a child that runs, its streams and its end.
'use strict';

const EventEmitter = require('events/events');
const { Socket } = require('net/socket');
const { nextTick, setImmediate } = require('timers/timers');
const children = require('process/child');
const { parseAll } = require('process/stdio');
const { checkObject, checkString, signalName, spawnError, toSignal } =
    require('process/arguments');
const { errnoError } = require('net/errors');
const { invalidArgType, invalidArgValue } = require('core/errors');
const hooks = require('core/hooks');

const ENOENT = -2, EAGAIN = -11, EACCES = -13, ESRCH = -3, EINVAL = -22, EMFILE = -24,
    ENFILE = -23;
const kIsLeft = Symbol('isLeft'); // of a socket: to a child
// A spawn that fails for one of these does so in an event.
const reported = new Set([ENOENT, EAGAIN, EACCES, EMFILE, ENFILE]);

// Children that keep the program alive, for whoever ends it all the same.  A detached one may go on.
const running = new Set();
hooks.runningChildren = () => [...running];

function ChildProcess() {
    EventEmitter.call(this);
    this._closesNeeded = 1;
    this._closesGot = 0;
    this.connected = false;
    this.signalCode = null;
    this.exitCode = null;
    this.killed = false;
    this.spawnfile = null;
    this._handle = null;
}
Object.setPrototypeOf(ChildProcess.prototype, EventEmitter.prototype);
Object.setPrototypeOf(ChildProcess, EventEmitter);

// ---- the end ----

// "close" comes when the child has exited and its streams are closed.
function countClose(child) {
    child._closesGot++;
    if (child._closesGot === child._closesNeeded)
        child.emit('close', child.exitCode, child.signalCode);
}

// A stream that nobody reads must still come to its end.
function flush(child) {
    for (const stream of child.stdio ?? [])
        if (stream?.readable && !stream.readableFlowing && !stream[kIsLeft])
            stream.resume();
}

function onExit(child, code, signal) {
    if (signal !== 0)
        child.signalCode = signalName(signal) ?? `SIG${signal}`;
    else
        child.exitCode = code;
    child.stdin?.destroy();
    child._handle = null;
    running.delete(child);
    if (code < 0)
        child.emit('error', spawnError(code, 'spawn', child.spawnfile, child.spawnargs));
    else
        child.emit('exit', child.exitCode, child.signalCode);
    nextTick(flush, child);
    countClose(child);
}

// Node looks for children that have ended after everything else that a poll has found.
// So what such a child has sent comes first: a poll reads it, and the next its end.
function endAfterMessages(child, code, signal) {
    if (child.connected)
        setImmediate(() => setImmediate(onExit, child, code, signal));
    else
        onExit(child, code, signal);
}

// ---- the start ----

function checkSpawn(options) {
    checkObject(options, 'options');
    if (options.envPairs === undefined)
        options.envPairs = [];
    else if (!Array.isArray(options.envPairs))
        throw invalidArgType('options.envPairs', 'an instance of Array', options.envPairs);
    checkString(options.file, 'options.file');
    if (options.args !== undefined && !Array.isArray(options.args))
        throw invalidArgType('options.args', 'an instance of Array', options.args);
    const { serialization } = options;
    if (![undefined, 'json', 'advanced'].includes(serialization))
        throw invalidArgValue('options.serialization', serialization,
            "must be one of: undefined, 'json', 'advanced'");
}

// A stream for our end, as Node has it: what a child writes is read at once.  A
// child that could not be started has none, and the stream is at its end.
function openStream(child, end, index) {
    const isInput = index === 0;
    const stream = new Socket({ handle: end, readable: !isInput,
        writable: isInput || (index > 2 && end !== undefined) });
    if (!isInput) {
        child._closesNeeded++;
        stream.on('close', () => countClose(child));
        if (end === undefined)
            setImmediate(() => {
                if (!stream.destroyed)
                    stream.push(null);
            });
    }
    return stream;
}

// A socket that a child has got is read by the child, not by us.
function leave(stream) {
    if (stream._handle.reading) {
        stream._handle.reading = false;
        stream._handle.readStop();
    }
    stream.pause();
    stream.readableFlowing = false;
    stream._readableState.reading = false;
    stream[kIsLeft] = true;
}

ChildProcess.prototype.spawn = function (options) {
    checkSpawn(options);
    const { entries, ipc } = parseAll(options.stdio ?? 'pipe', false);
    const envPairs = options.envPairs.slice();
    if (ipc !== undefined)
        envPairs.push(`NODE_CHANNEL_FD=${ipc}`,
            `NODE_CHANNEL_SERIALIZATION_MODE=${options.serialization ?? 'json'}`);
    this.spawnfile = options.file;
    this.spawnargs = options.args ?? [];
    const made = children.start({ ...options, args: this.spawnargs, envPairs,
        flags: options.detached ? children.DETACHED : 0,
        stdio: entries.map(({ kind, fd }) => [kind, fd]) },
    (code, signal) => endAfterMessages(this, code, signal));
    const isMade = typeof made !== 'number';
    if (!isMade && !reported.has(made))
        throw errnoError(made, 'spawn');
    if (isMade) {
        this._handle = made.handle;
        this.pid = made.pid;
        if (!options.detached)
            running.add(this);
        nextTick(() => this.emit('spawn'));
    } else {
        nextTick(() => onExit(this, made, 0));
        if (made === EMFILE || made === ENFILE)
            return made;
    }
    for (const { stream } of entries)
        if (stream !== undefined)
            leave(stream);
    this.stdio = entries.map(({ type }, index) => type !== 'pipe' ? null
        : openStream(this, isMade ? made.ends[index] : undefined, index));
    [this.stdin, this.stdout, this.stderr] = this.stdio;
    if (ipc !== undefined && isMade) {
        this._closesNeeded++;
        require('process/channel').attach(this, { handle: made.ends[ipc] },
            options.serialization, () => countClose(this));
    }
    return isMade ? 0 : made;
};

// ---- methods ----

ChildProcess.prototype.kill = function (signal) {
    const number = signal === 0 ? 0 : toSignal(signal === undefined ? 'SIGTERM' : signal);
    if (this._handle === null)
        return false;
    const err = children.kill(this._handle, number);
    if (err === 0) {
        this.killed = true;
        return true;
    }
    if (err === EINVAL)
        throw errnoError(err, 'kill');
    if (err !== ESRCH) // it has ended
        this.emit('error', errnoError(err, 'kill'));
    return false;
};

ChildProcess.prototype[Symbol.dispose] = function () {
    if (!this.killed)
        this.kill();
};

ChildProcess.prototype.ref = function () {
    if (this._handle === null)
        return;
    children.setRef(this._handle, true);
    running.add(this);
};

ChildProcess.prototype.unref = function () {
    if (this._handle !== null)
        children.setRef(this._handle, false);
    running.delete(this);
};

module.exports = { ChildProcess };
