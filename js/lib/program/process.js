// SPDX-License-Identifier: MIT
// process -- the running program, and what it can find out about itself.
'use strict';

const EventEmitter = require('events/events');
const { coded, invalidArgType, outOfRange, unhandledRejection } = require('core/errors');
const { nextTick, setImmediate } = require('timers/timers');
const thread = require('threads/thread');
const hooks = require('core/hooks');
const { defineOutput } = require('program/stdio');

// A function, because jest calls the constructors of what it copies.
function process() {}
Object.setPrototypeOf(process.prototype, EventEmitter.prototype);
const self = new process();
EventEmitter.call(self);
let exitCode, isExiting = false;

function checkCode(code) {
    if (typeof code === 'string' && code !== '' && !Number.isNaN(+code))
        code = +code;
    if (code === undefined || code === null || Number.isInteger(code))
        return;
    if (typeof code === 'number')
        throw outOfRange('code', 'an integer', code);
    throw invalidArgType('code', 'of type number', code);
}

// The exit code, unless another one is given.
function currentCode() {
    return exitCode === undefined || exitCode === null ? 0 : +exitCode;
}

function emitExit() {
    if (isExiting)
        return currentCode();
    isExiting = true;
    self.emit('exit', currentCode());
    if (captured.length > 0)
        require('threads/workerstdio').flush();
    return currentCode();
}

function exit(code) {
    checkCode(code);
    if (code !== undefined)
        exitCode = code;
    emitExit();
    native.exit(currentCode()); // does not return
}

function hrtime(since) {
    const now = native.hrtime();
    const pair = [Number(now / 1000000000n), Number(now % 1000000000n)];
    if (since === undefined)
        return pair;
    if (!Array.isArray(since))
        throw invalidArgType('time', 'an instance of Array', since);
    if (since.length !== 2)
        throw outOfRange('time', 2, since.length);
    let [seconds, rest] = [pair[0] - since[0], pair[1] - since[1]];
    if (rest < 0)
        [seconds, rest] = [seconds - 1, rest + 1e9];
    return [seconds, rest];
}
hrtime.bigint = () => native.hrtime();

// Node's one line on stderr; the stack for warnings with their own name.
function showWarning(warning) {
    const where = warning.code ? `[${warning.code}] ` : '';
    native.write(2, `(weir:${self.pid}) ${where}${warning.name}: ${warning.message}\n`);
    if (warning.detail)
        native.write(2, `${warning.detail}\n`);
}

function emitWarning(warning, type, code) {
    let detail;
    if (type !== null && typeof type === 'object' && !Array.isArray(type)) {
        ({ code, detail } = type);
        type = type.type || 'Warning';
    } else if (typeof type === 'function') {
        type = undefined; // a constructor to cut the stack at: ignored
    }
    for (const [name, value] of Object.entries({ type, code }))
        if (value !== undefined && typeof value !== 'string' &&
            (name === 'type' || typeof value !== 'function'))
            throw invalidArgType(name, 'of type string', value);
    if (typeof warning === 'string') {
        const text = warning;
        warning = new Error(text);
        warning.name = type || 'Warning';
        if (typeof code === 'string')
            warning.code = code;
        if (typeof detail === 'string')
            warning.detail = detail;
    } else if (!require('util/inspect').isError(warning)) {
        throw invalidArgType('warning',
            'of type string or an instance of Error', warning);
    }
    if (warning.name === 'DeprecationWarning' && self.noDeprecation)
        return;
    nextTick(() => {
        showWarning(warning);
        self.emit('warning', warning);
    });
}

function lazy(key, make) {
    Object.defineProperty(self, key, {
        configurable: true, enumerable: true,
        get() {
            const value = make();
            Object.defineProperty(self, key,
                { value, writable: true, configurable: true, enumerable: true });
            return value;
        },
    });
}

const version = 'v20.0.0'; // the Node version whose API this follows

Object.assign(self, {
    version,
    versions: { node: version.slice(1), weir: native.version,
        'quickjs-ng': native.engineVersion },
    arch: native.arch, platform: 'linux',
    release: { name: 'weir' },
    pid: native.pid, ppid: native.ppid,
    execPath: native.execPath, execArgv: thread.start?.execArgv ?? native.execArgv,
    argv: [...native.argv, ...thread.start?.argv ?? []],
    argv0: native.argv[0], title: 'weir', features: {},
    cwd: () => native.cwd(),
    chdir(directory) {
        if (typeof directory !== 'string')
            throw invalidArgType('directory', 'of type string', directory);
        native.chdir(directory);
    },
    umask: (mask) => native.umask(mask === undefined ? mask
        : require('fs/check').mode(mask, 'mask')),
    uptime: () => require('timers/clock').now() / 1e3,
    memoryUsage: () => native.memoryUsage(),
    hrtime, nextTick, exit, emitWarning,
    loadEnvFile: (path) => require('util/dotenv').loadEnvFile(path),
    getBuiltinModule(id) {
        if (typeof id !== 'string')
            throw invalidArgType('id', 'of type string', id);
        const { Module, load } = require('program/module');
        return Module.isBuiltin(id) ? load(id.startsWith('node:') ? id : `node:${id}`) : undefined;
    },
    abort: () => native.abort(),
    reallyExit: (code) => native.exit(code | 0),
});
self.memoryUsage.rss = () => self.memoryUsage().rss;
// Loaded when one of them is first called.
for (const [lib, names] of [['program/identity', 'getuid geteuid getgid getegid getgroups ' +
    'setuid seteuid setgid setegid setgroups initgroups'],
['program/usage', 'cpuUsage resourceUsage constrainedMemory availableMemory']])
    for (const name of names.split(' '))
        self[name] = { [name](...args) { return require(lib)[name](...args); } }[name];
lazy('config', () => require('program/config'));
Object.defineProperty(self, 'exitCode', {
    configurable: true, enumerable: true,
    get: () => exitCode,
    set(code) {
        checkCode(code);
        exitCode = code;
    },
});
Object.defineProperty(self, Symbol.toStringTag,
    { value: 'process', configurable: true });
if (hooks.program !== undefined) {
    self.argv[1] = hooks.program.file;
    if (hooks.program.module !== undefined)
        self.mainModule = hooks.program.module;
}
if (native.isConfined)
    Object.defineProperty(self, 'permission', { value: require('program/permission'),
        enumerable: true });
lazy('env', () => require('program/env').env);
Object.defineProperty(self, 'env', {
    set: (value) => Object.defineProperty(self, 'env',
        { value, writable: true, configurable: true, enumerable: true }),
});
// A worker has none of the process's stdin.  It writes to the process's stdout
// and stderr, unless its parent captures them.
const captured = thread.start?.stdio?.names ?? [];
lazy('stdin', () => (thread.isMainThread ? require('program/input').make(0)
    : require('threads/workerstdio').makeInput()));
for (const [name, fd] of [['stdout', 1], ['stderr', 2]])
    if (captured.includes(name))
        defineOutput(self, name, () => require('threads/workerstdio').makeOutput(name), false);
    else
        defineOutput(self, name, () => require('program/output').make(fd), true);

require('program/signals').attach(self, thread.isMainThread);

// A worker must not change what belongs to the whole process.
function forbid(key, text = `process.${key}()`) {
    self[key] = () => {
        throw coded(TypeError, 'ERR_WORKER_UNSUPPORTED_OPERATION',
            `${text} is not supported in workers`);
    };
}
if (!thread.isMainThread) {
    const { umask } = self;
    forbid('abort');
    forbid('chdir');
    forbid('umask', 'Setting process.umask()');
    const refuse = self.umask;
    self.umask = (mask) => mask === undefined ? umask() : refuse();
    for (const key of ['initgroups', 'setegid', 'seteuid', 'setgid', 'setgroups', 'setuid'])
        forbid(key);
}

// ---- called by C ----

// Takes all uncaught errors, instead of the listeners; or null.
let capture = null;

self.setUncaughtExceptionCaptureCallback = function setUncaughtExceptionCaptureCallback(fn) {
    if (fn !== null && typeof fn !== 'function')
        throw invalidArgType('fn', 'of type function or null', fn);
    if (fn !== null && capture !== null)
        throw coded(Error, 'ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET',
            '`process.setupUncaughtExceptionCapture()` was called while a capture callback ' +
            'was already active');
    capture = fn;
};
self.hasUncaughtExceptionCaptureCallback = function hasUncaughtExceptionCaptureCallback() {
    return capture !== null;
};

// Returns true if a listener has handled it.
function onUncaught(error, origin) {
    self.emit('uncaughtExceptionMonitor', error, origin);
    if (capture !== null)
        capture(error);
    else if (self.listenerCount('uncaughtException') === 0)
        return false;
    else
        self.emit('uncaughtException', error, origin);
    setImmediate(() => {}); // as in Node, the loop turns once more
    return true;
}

const numbers = new WeakMap(); // of promises that were reported

function onHandled(promise) {
    if (self.emit('rejectionHandled', promise))
        return;
    const warning = new Error('Promise rejection was handled asynchronously ' +
        `(rejection id: ${numbers.get(promise)})`);
    warning.name = 'PromiseRejectionHandledWarning';
    emitWarning(warning);
}

// --unhandled-rejections; undefined: as "throw"
const mode = native.execArgv.length === 0 && thread.start?.execArgv === undefined ? undefined
    : require('program/rejections').modeOf(self.execArgv);

function onUnhandled(promise, reason, number) {
    numbers.set(promise, number);
    if (mode === undefined)
        return self.emit('unhandledRejection', reason, promise);
    return require('program/rejections').tell(mode, self, promise, reason, number,
        () => onUncaught(unhandledRejection(reason), 'unhandledRejection'));
}

Object.assign(hooks, {
    onUncaught: (error) => onUncaught(error, 'uncaughtException'),
    onUnhandled, onHandled, emitExit,
    onRejected: (reason) => mode !== 'strict' && // which has asked already
        onUncaught(unhandledRejection(reason), 'unhandledRejection'),
    beforeExit() { self.emit('beforeExit', currentCode()); },
    // Node's own listener: the event still has the code 0.
    unsettled() {
        const code = currentCode();
        exitCode ??= 13;
        isExiting = true;
        self.emit('exit', code);
        return currentCode();
    },
    fail(code) { // a listener may set another code
        if (!isExiting)
            exitCode = code;
        exitCode ??= code;
        return emitExit();
    },
});

module.exports = self;
if (native.channel !== undefined) { // to the process that has forked this one
    const { NODE_CHANNEL_SERIALIZATION_MODE: mode } = self.env;
    delete self.env.NODE_CHANNEL_FD;
    delete self.env.NODE_CHANNEL_SERIALIZATION_MODE;
    require('process/channel').open(self, +native.channel, mode);
    if (self.argv[1] && self.env.NODE_UNIQUE_ID) { // a worker of a cluster
        require('process/cluster')._setupWorker();
        delete self.env.NODE_UNIQUE_ID;
    }
}
