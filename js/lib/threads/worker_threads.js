// SPDX-License-Identifier: MIT
// worker_threads -- Node's module: programs on their own threads.
'use strict';

const EventEmitter = require('events/events');
const path = require('fs/path');
const { bind: bindContext } = require('core/context');
const { coded, invalidArgType } = require('core/errors');
const { MessageChannel, MessagePort, markAsUntransferable,
    receiveMessageOnPort, transferList, unheard } = require('messages/messaging');
const thread = require('threads/thread');
const process = () => require('program/process');

const SHARE_ENV = Symbol.for('nodejs.worker_threads.SHARE_ENV');
const MOST_MB = 2 ** 40; // more than any machine has, and its bytes still fit in a size_t

// ---- environment data ----

let environment = thread.start?.environment ?? new Map();

function setEnvironmentData(key, value) {
    if (value === undefined)
        environment.delete(key);
    else
        environment.set(key, value);
}

function getEnvironmentData(key) {
    return environment.get(key);
}

// ---- workers ----

const DRAIN = 0, ONLINE = 1, ERROR = 2, UNREADABLE = 3, MEMORY = 4,
    EXIT = 5, NEWS = 6, BLOCKED = 7; // js/threads/worker.c
const MOST_MS = 2 ** 31;

function fileOf(filename) {
    if (filename !== null && typeof filename === 'object' &&
        typeof filename.href === 'string') {
        if (!filename.href.startsWith('file:'))
            throw coded(TypeError, 'ERR_INVALID_URL_SCHEME',
                'The URL must be of scheme file');
        return require('program/module').pathOf(filename.href);
    }
    if (typeof filename !== 'string')
        throw invalidArgType('filename',
            'of type string or an instance of URL', filename);
    if (path.isAbsolute(filename) || /^\.\.?[\\/]/.test(filename))
        return path.resolve(filename);
    const hint = filename.startsWith('file://')
        ? ' Wrap file:// URLs with `new URL`.' : '';
    throw coded(TypeError, 'ERR_WORKER_PATH', 'The worker script or module ' +
        'filename must be an absolute path or a relative path starting with ' +
        `'./' or '../'.${hint} Received "${filename}"`);
}

// The worker's variables: an object, or unparsed text; undefined for those of
// the process.
function environmentOf(env) {
    if (env === SHARE_ENV && thread.start?.env !== undefined)
        throw coded(TypeError, 'ERR_WORKER_UNSUPPORTED_OPERATION',
            'SHARE_ENV is not supported in workers that have variables of their own');
    if (env === SHARE_ENV)
        return undefined;
    if (env != null && typeof env !== 'object')
        throw invalidArgType('options.env', 'of type object or one of undefined, ' +
            'null, or worker_threads.SHARE_ENV', env);
    if (env == null)
        return thread.start?.env === undefined ? thread.variables()
            : require('program/env').copy();
    return Object.fromEntries(Object.entries(env)
        .map(([key, value]) => [key, `${value}`]));
}

function limitsOf(given) {
    const limits = {};
    for (const key of ['maxYoungGenerationSizeMb', 'maxOldGenerationSizeMb',
        'codeRangeSizeMb', 'stackSizeMb', 'maxBlockedMs'])
        if (typeof given?.[key] === 'number')
            limits[key] = given[key];
    return { stackSizeMb: thread.stackSize(), ...limits };
}

function emptyStdio(worker) {
    const { Readable } = require('stream/stream');
    const own = { stdin: null, stdout: new Readable({ read() {} }),
        stderr: new Readable({ read() {} }),
        finish() {
            own.stdout.push(null);
            own.stderr.push(null);
        } };
    if (worker.threadId === -1)
        own.finish();
    return own;
}

// The list of what moves to the worker.
function transferredWith(port, given) {
    const list = given == null ? undefined : transferList(given);
    return port === undefined ? list : [...list ?? [], port];
}

class Worker extends EventEmitter {
    #handle; #port; #limits; #stdio; #isOnline = false; #onExit;

    constructor(filename, options = {}) {
        super();
        const { eval: isEval } = options;
        const argv = options.argv || [], name = options.name || '';
        const execArgv = options.execArgv || process().execArgv;
        if (!Array.isArray(argv))
            throw invalidArgType('options.argv', 'an instance of Array', argv);
        if (!Array.isArray(execArgv))
            throw invalidArgType('options.execArgv', 'an instance of Array', execArgv);
        if (typeof name !== 'string')
            throw invalidArgType('options.name', 'of type string', name);
        if (isEval && typeof filename !== 'string')
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', "The property " +
                "'options.eval' must be false when 'filename' is not a string. " +
                `Received ${require('util/inspect').inspect(isEval)}`);
        const text = isEval ? filename : fileOf(filename);
        this.#limits = limitsOf(options.resourceLimits);
        if (options.stdin || options.stdout || options.stderr)
            this.#stdio = require('threads/workerstdio').forParent(options);
        const start = { workerData: options.workerData, name, stdio: this.#stdio?.start,
            env: environmentOf(options.env), argv: argv.map(String),
            execArgv: execArgv.length > 0 ? execArgv.map(String) : undefined,
            limits: this.#limits,
            environment: environment.size > 0 ? environment : undefined };
        [this.#handle, this.#port, this.threadId] = thread.newWorker(
            bindContext((event, value) => this.#hear(event, value)), !!isEval, text, start,
            Math.min(this.#limits.maxOldGenerationSizeMb ?? 0, MOST_MB),
            Math.min(this.#limits.stackSizeMb, MOST_MB),
            transferredWith(this.#stdio?.port, options.transferList),
            Math.min(Math.max(this.#limits.maxBlockedMs ?? 0, 0), MOST_MS));
        process().nextTick(() => process().emit('worker', this));
    }

    // Listen to its messages, which come after "online".
    #listen() {
        this.#port.on('message', (value) => { this.emit('message', value); });
        this.#port.on('messageerror', (error) => { this.#miss(error); });
        this.#port.unref();
    }

    // A message cannot be read here.
    #miss(error) {
        if (!this.emit('messageerror', error))
            unheard(error);
    }

    // Deliver what was sent before the next event; return whether there was
    // anything.
    #drain() {
        if (!this.#isOnline)
            return false;
        let received;
        try {
            received = receiveMessageOnPort(this.#port);
        } catch (error) {
            this.#miss(error);
            return true;
        }
        if (received !== undefined)
            this.emit('message', received.message);
        return received !== undefined;
    }

    #hear(event, value) {
        switch (event) {
        case DRAIN:
            return this.#drain();
        case ONLINE:
            this.#isOnline = true;
            this.emit('online');
            this.#listen();
            break;
        case ERROR:
            this.emit('error', thread.unpackError(value));
            break;
        case UNREADABLE:
            this.emit('error', value);
            break;
        case MEMORY:
            this.emit('error', coded(Error, 'ERR_WORKER_OUT_OF_MEMORY',
                'Worker terminated due to reaching memory limit: JS heap out of memory'));
            break;
        case BLOCKED:
            this.emit('error', coded(Error, 'ERR_WORKER_BLOCKED', 'Worker terminated ' +
                `because it was blocked for ${this.#limits.maxBlockedMs} ms`));
            break;
        case EXIT:
            this.#port.close();
            this.#stdio?.finish();
            this.threadId = -1;
            this.#handle = undefined;
            this.#onExit?.(value);
            this.emit('exit', value);
            break;
        case NEWS:
            this.#onExit = require('program/term').adopt(this.threadId, value,
                () => thread.terminate(this.#handle));
        }
        return false;
    }

    postMessage(...args) {
        if (this.#handle !== undefined)
            this.#port.postMessage(...args);
    }

    terminate(callback) {
        if (typeof callback === 'function')
            process().emitWarning('Passing a callback to worker.terminate() is deprecated. ' +
                'It returns a Promise instead.', 'DeprecationWarning', 'DEP0132');
        if (this.#handle === undefined)
            return Promise.resolve();
        if (typeof callback === 'function')
            this.once('exit', (code) => callback(null, code));
        this.ref();
        thread.terminate(this.#handle);
        return new Promise((resolve) => { this.once('exit', resolve); });
    }

    ref() {
        if (this.#handle !== undefined)
            thread.ref(this.#handle);
    }

    unref() {
        if (this.#handle !== undefined)
            thread.unref(this.#handle);
    }

    // Without the option of that name, the worker writes to the process's own,
    // and its stream here is empty.
    #stream(name) {
        this.#stdio ??= emptyStdio(this);
        return this.#stdio[name];
    }
    get stdin() { return this.#stdio?.stdin ?? null; }
    get stdout() { return this.#stream('stdout'); }
    get stderr() { return this.#stream('stderr'); }

    get resourceLimits() {
        return this.#handle === undefined ? {} : { ...this.#limits };
    }

    async [Symbol.asyncDispose]() {
        await this.terminate();
    }
}

module.exports = {
    isMainThread: thread.isMainThread,
    MessagePort, MessageChannel, markAsUntransferable, receiveMessageOnPort,
    resourceLimits: thread.start?.limits ?? {},
    threadId: thread.threadId, SHARE_ENV, Worker,
    parentPort: thread.parentPort,
    get BroadcastChannel() { return require('messages/broadcast'); },
    workerData: thread.isMainThread ? null : thread.start.workerData,
    setEnvironmentData, getEnvironmentData,
};
