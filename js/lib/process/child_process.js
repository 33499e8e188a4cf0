// SPDX-License-Identifier: MIT
// child_process -- Node's module.
'use strict';

const { Buffer } = require('bytes/buffer');
const timers = require('timers/timers');
const { ChildProcess } = require('process/process');
const { checkMaxBuffer, checkNul, checkObject, checkString, checkTimeout, killSignalOf, normalize,
    pathOf } =
    require('process/arguments');
const { spawnSync, failureOf } = require('process/sync');
const { errnoError } = require('net/errors');
const { coded, invalidArgType, invalidArgValue } = require('core/errors');

const MAX_BUFFER = 1024 * 1024;

// ---- spawn ----

function abortError(reason) {
    const error = new Error('The operation was aborted',
        reason === undefined ? undefined : { cause: reason });
    error.code = 'ABORT_ERR';
    error.name = 'AbortError';
    return error;
}

function abort(child, killSignal, reason) {
    try {
        if (child.kill(killSignal))
            child.emit('error', abortError(reason));
    } catch (error) {
        child.emit('error', error);
    }
}

function checkSignal(signal) {
    if (signal !== undefined && (signal === null || typeof signal !== 'object' ||
        !('aborted' in signal)))
        throw invalidArgType('options.signal', 'an instance of AbortSignal', signal);
}

function watchSignal(child, signal, killSignal) {
    const onAbort = () => abort(child, killSignal, signal.reason);
    if (signal.aborted) {
        timers.nextTick(onAbort);
        return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('exit', () => signal.removeEventListener('abort', onAbort));
}

function watchTime(child, timeout, killSignal) {
    const timer = timers.setTimeout(() => {
        try {
            child.kill(killSignal);
        } catch (error) {
            child.emit('error', error);
        }
    }, timeout);
    child.once('exit', () => timers.clearTimeout(timer));
}

function spawn(file, args, options) {
    const checked = normalize(file, args, options);
    checkTimeout(checked.timeout);
    checkSignal(checked.signal);
    const killSignal = killSignalOf(checked.killSignal);
    const child = new ChildProcess();
    child.spawn(checked);
    if (checked.timeout > 0)
        watchTime(child, checked.timeout, killSignal);
    if (checked.signal)
        watchSignal(child, checked.signal, killSignal);
    return child;
}

// ---- execFile ----

// What one stream of a child has written, up to a limit of bytes.
class Collector {
    #stream;
    #isText;
    #parts = [];
    #size = 0;

    constructor(stream, encoding, name, limit, onTooMuch) {
        this.#stream = stream;
        this.#isText = encoding && encoding !== 'buffer' && Buffer.isEncoding(encoding);
        if (this.#isText)
            stream?.setEncoding(encoding);
        stream?.on('data', (part) => {
            const size = Buffer.byteLength(part, stream.readableEncoding ?? undefined);
            const room = limit - this.#size;
            this.#size += size;
            if (size > room) {
                this.#parts.push(part.slice(0, room));
                onTooMuch(name);
            } else {
                this.#parts.push(part);
            }
        });
    }

    get result() {
        return this.#isText || this.#stream?.readableEncoding ? this.#parts.join('')
            : Buffer.concat(this.#parts);
    }
}

// (file, args, options, callback), where args and options may be left out.
function splitExec(file, args, options, callback) {
    if (args != null && Array.isArray(args)) {
        args = args.slice();
    } else if (args != null && typeof args === 'object') {
        callback = options;
        options = args;
        args = null;
    } else if (typeof args === 'function') {
        callback = args;
        options = args = null;
    }
    args ??= [];
    if (typeof options === 'function') {
        callback = options;
        options = null;
    } else if (options != null) {
        checkObject(options, 'options');
    }
    options ??= {};
    if (callback != null && typeof callback !== 'function')
        throw invalidArgType('callback', 'of type function', callback);
    if (options.argv0 != null) {
        checkString(options.argv0, 'options.argv0');
        checkNul(options.argv0, 'options.argv0');
    }
    return { args, options, callback };
}

function commandFailed(command, stderr, code, signal, wasKilled) {
    const error = new Error(`Command failed: ${command}\n${stderr}`);
    return Object.assign(error, {
        code: code < 0 ? errnoError(code, '').code : code,
        killed: wasKilled, signal, cmd: command });
}

function execFile(file, ...rest) {
    const { args, options: given, callback } = splitExec(file, ...rest);
    const options = { encoding: 'utf8', timeout: 0, maxBuffer: MAX_BUFFER, killSignal: 'SIGTERM',
        cwd: null, env: null, shell: false, ...given };
    checkTimeout(options.timeout);
    checkMaxBuffer(options.maxBuffer);
    options.killSignal = killSignalOf(options.killSignal);
    const child = spawn(file, args, { cwd: options.cwd, env: options.env, gid: options.gid,
        shell: options.shell, signal: options.signal, uid: options.uid,
        windowsHide: Boolean(options.windowsHide),
        windowsVerbatimArguments: Boolean(options.windowsVerbatimArguments) });
    const command = args.length === 0 ? file : `${file} ${args.join(' ')}`;
    let failure = null, hasExited = false, wasKilled = false, timer;

    function kill(why) {
        child.stdout?.destroy();
        child.stderr?.destroy();
        wasKilled = true;
        failure ??= why ?? null;
        try {
            child.kill(options.killSignal);
        } catch (error) {
            failure ??= error;
            finish();
        }
    }
    const tooMuch = (name) => kill(coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER',
        `${name} maxBuffer length exceeded`));
    const stdout = new Collector(child.stdout, options.encoding, 'stdout', options.maxBuffer,
        tooMuch);
    const stderr = new Collector(child.stderr, options.encoding, 'stderr', options.maxBuffer,
        tooMuch);

    function finish(code = null, signal = null) {
        if (hasExited)
            return;
        hasExited = true;
        timers.clearTimeout(timer);
        if (!callback)
            return;
        const results = [stdout.result, stderr.result];
        if (!failure && code === 0 && signal === null) {
            callback(null, ...results);
            return;
        }
        failure ??= commandFailed(command, results[1], code, signal, child.killed || wasKilled);
        failure.cmd ??= command;
        callback(failure, ...results);
    }
    if (options.timeout > 0)
        timer = timers.setTimeout(() => kill(), options.timeout);
    child.addListener('close', finish);
    child.addListener('error', (error) => {
        failure = error;
        child.stdout?.destroy();
        child.stderr?.destroy();
        finish();
    });
    return child;
}

// ---- exec ----

function splitCommand(command, options, callback) {
    checkString(command, 'command');
    checkNul(command, 'command');
    if (typeof options === 'function')
        return { command, options: { shell: true }, callback: options };
    const own = { ...options };
    own.shell = typeof own.shell === 'string' ? own.shell : true;
    return { command, options: own, callback };
}

function exec(command, options, callback) {
    const split = splitCommand(command, options, callback);
    return execFile(split.command, split.options, split.callback);
}

// util.promisify(exec): {stdout, stderr}, also in the error
function promisified(run) {
    return (...args) => {
        const { promise, resolve, reject } = Promise.withResolvers();
        promise.child = run(...args, (error, stdout, stderr) => {
            if (error === null)
                resolve({ stdout, stderr });
            else
                reject(Object.assign(error, { stdout, stderr }));
        });
        return promise;
    };
}
for (const run of [exec, execFile])
    Object.defineProperty(run, Symbol.for('nodejs.util.promisify.custom'),
        { value: promisified(run) });

// ---- fork ----

function splitFork(args, options) {
    if (args == null)
        args = [];
    else if (typeof args === 'object' && !Array.isArray(args))
        [args, options] = [[], args];
    else if (!Array.isArray(args))
        throw invalidArgType('args', 'an instance of Array', args);
    if (options != null)
        checkObject(options, 'options');
    return { args: args.slice(), options: { __proto__: null, ...options, shell: false } };
}

function forkStdio(options) {
    const { stdio } = options;
    if (typeof stdio === 'string') {
        if (!['ignore', 'pipe', 'overlapped', 'inherit'].includes(stdio))
            throw invalidArgValue('stdio', stdio);
        return [stdio, stdio, stdio, 'ipc'];
    }
    if (!Array.isArray(stdio)) {
        const kind = options.silent ? 'pipe' : 'inherit';
        return [kind, kind, kind, 'ipc'];
    }
    if (!stdio.includes('ipc'))
        throw coded(Error, 'ERR_CHILD_PROCESS_IPC_REQUIRED', 'Forked processes must have an IPC ' +
            "channel, missing value 'ipc' in options.stdio");
    return stdio;
}

function fork(modulePath, givenArgs, givenOptions) {
    const process = require('program/process');
    const file = pathOf(modulePath, 'modulePath');
    const { args, options } = splitFork(givenArgs, givenOptions);
    const execArgv = options.execArgv || process.execArgv;
    for (const [index, arg] of execArgv.entries())
        checkNul(arg, `options.execArgv[${index}]`);
    options.stdio = forkStdio(options);
    options.execPath = options.execPath || process.execPath;
    checkNul(options.execPath, 'options.execPath');
    return spawn(options.execPath, [...execArgv, file, ...args], options);
}

// ---- the synchronous forms ----

// The child's stderr is shown, unless the program has said where it goes.
function execFileSync(file, args, options) {
    const { args: list, options: own } = typeof args === 'object' && args !== null &&
        !Array.isArray(args) ? { args: [], options: args } : { args, options };
    const result = spawnSync(file, list, { ...own });
    return finishSync(result, own, [own?.argv0 || file, ...list ?? []]);
}

function finishSync(result, options, args, command) {
    if (!options?.stdio && result.stderr)
        require('program/process').stderr.write(result.stderr);
    const failure = failureOf(result, args, command);
    if (failure)
        throw failure;
    return result.stdout;
}

function execSync(command, options) {
    const split = splitCommand(command, options, undefined);
    const result = spawnSync(split.command, split.options);
    return finishSync(result, split.options, undefined, command);
}

module.exports = { _forkChild: (fd, mode) => require('process/channel').open(fd, mode),
    ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
