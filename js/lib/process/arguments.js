// SPDX-License-Identifier: MIT
// process/arguments -- the arguments of child_process, checked as Node checks
// them.
'use strict';

const { coded, invalidArgType, invalidArgValue, outOfRange } = require('core/errors');
const { constants } = require('system/os');
const { errnoError } = require('net/errors');
const environment = require('program/env');

const numberOf = constants.signals;
const nameOf = new Map(Object.entries(numberOf).map(([name, number]) => [number, name]));

const signalName = (number) => nameOf.get(number) ?? null;

function unknownSignal(signal) {
    return coded(TypeError, 'ERR_UNKNOWN_SIGNAL', 
        require('util/format').format('Unknown signal: %s', signal));
}

// The number of a signal that is given by name or number.
function toSignal(signal) {
    if (typeof signal === 'number' && nameOf.has(signal))
        return signal;
    if (typeof signal === 'string' && Object.hasOwn(numberOf, signal.toUpperCase()))
        return numberOf[signal.toUpperCase()];
    throw unknownSignal(signal);
}

function killSignalOf(signal) {
    if (typeof signal === 'string' || typeof signal === 'number')
        return toSignal(signal);
    if (signal != null)
        throw invalidArgType('options.killSignal', 'one of type string or number', signal);
    return undefined;
}

// ---- checks ----

function checkString(value, name) {
    if (typeof value !== 'string')
        throw invalidArgType(name, 'of type string', value);
}

function checkBoolean(value, name) {
    if (value != null && typeof value !== 'boolean')
        throw invalidArgType(name, 'of type boolean', value);
}

function checkNul(value, name) {
    if (typeof value === 'string' && value.includes('\0'))
        throw invalidArgValue(name, value, 'must be a string without null bytes');
}

function checkInt32(value, name) {
    if (value != null && value !== (value | 0))
        throw invalidArgType(name, 'int32', value);
}

function checkTimeout(timeout) {
    if (timeout != null && !(Number.isInteger(timeout) && timeout >= 0))
        throw outOfRange('timeout', 'an unsigned integer', timeout);
}

function checkMaxBuffer(maxBuffer) {
    if (maxBuffer != null && !(typeof maxBuffer === 'number' && maxBuffer >= 0))
        throw outOfRange('options.maxBuffer', 'a positive number', maxBuffer);
}

function checkObject(value, name) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
        throw invalidArgType(name, 'of type object', value);
}

// A path as text.
function pathOf(value, name) {
    if (typeof value !== 'string' && !(value instanceof Uint8Array) && !(value instanceof URL))
        throw invalidArgType(name, 'of type string or an instance of Buffer or URL', value);
    if (String(value).includes('\0'))
        throw invalidArgValue(name, value,
            'must be a string, Uint8Array, or URL without null bytes');
    return value instanceof URL ? require('url/url').fileURLToPath(value)
        : typeof value === 'string' ? value : require('bytes/bytes').toText(value, 'utf8');
}

// ---- what is run ----

// "KEY=value" for each enumerable property, inherited ones too.  The proxy of the
// environment, which most children get, would be asked four times for each.
function pairsOf(env) {
    const pairs = [];
    if (env === environment.env)
        return environment.pairs();
    for (const key in env) {
        const value = env[key];
        if (value === undefined)
            continue;
        checkNul(key, `options.env['${key}']`);
        checkNul(String(value), `options.env['${key}']`);
        pairs.push(`${key}=${value}`);
    }
    return pairs;
}

// (file, args, options), where args may be left out.
function split(file, args, options) {
    checkString(file, 'file');
    checkNul(file, 'file');
    if (file.length === 0)
        throw invalidArgValue('file', file, 'cannot be empty');
    if (Array.isArray(args)) {
        args = args.slice();
    } else if (args == null) {
        args = [];
    } else if (typeof args !== 'object') {
        throw invalidArgType('args', 'of type object', args);
    } else {
        options = args;
        args = [];
    }
    args.forEach((arg, index) => checkNul(arg, `args[${index}]`));
    if (options === undefined)
        options = {};
    else
        checkObject(options, 'options');
    return { file, args, options };
}

function checkOptions(options) {
    checkBoolean(options.detached, 'options.detached');
    checkInt32(options.uid, 'options.uid');
    checkInt32(options.gid, 'options.gid');
    if (options.shell != null && typeof options.shell !== 'boolean' &&
        typeof options.shell !== 'string')
        throw invalidArgType('options.shell', 'one of type boolean or string', options.shell);
    if (options.argv0 != null) {
        checkString(options.argv0, 'options.argv0');
        checkNul(options.argv0, 'options.argv0');
    }
    checkNul(options.shell, 'options.shell');
    checkBoolean(options.windowsHide, 'options.windowsHide');
    checkBoolean(options.windowsVerbatimArguments, 'options.windowsVerbatimArguments');
}

// The options with file, args (from argv[0] on), cwd and envPairs.
function normalize(given, givenArgs, givenOptions) {
    let { file, args, options } = split(given, givenArgs, givenOptions);
    const cwd = options.cwd == null ? undefined : pathOf(options.cwd, 'options.cwd');
    checkOptions(options);
    if (options.shell) {
        args = ['-c', [file, ...args].join(' ')];
        file = typeof options.shell === 'string' ? options.shell : '/bin/sh';
    }
    args.unshift(typeof options.argv0 === 'string' ? options.argv0 : file);
    return { __proto__: null, ...options, args, cwd, detached: Boolean(options.detached),
        envPairs: pairsOf(options.env || require('program/process').env), file,
        uid: options.uid ?? undefined, gid: options.gid ?? undefined,
        windowsHide: Boolean(options.windowsHide),
        windowsVerbatimArguments: Boolean(options.windowsVerbatimArguments) };
}

// ---- errors ----

function spawnError(errno, syscall, file, args) {
    return Object.assign(errnoError(errno, `${syscall} ${file}`),
        { path: file, spawnargs: args.slice(1) });
}

module.exports = { checkInt32, checkMaxBuffer, checkNul, checkObject, checkString, checkTimeout,
    killSignalOf, normalize, pathOf, signalName, spawnError, toSignal };
