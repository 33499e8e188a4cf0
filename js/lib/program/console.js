// SPDX-License-Identifier: MIT
// console -- Node's console, on the process's stdout and stderr, and the methods
// of the class Console (program/consoleclass).
'use strict';

const { inspect } = require('util/inspect');
const { formatWithOptions } = require('util/format');
const process = require('program/process');
const { outputOf, print: put } = require('program/stdio');

// What a console keeps: how it formats and indents, counts and times.
class State {
    counts = new Map();
    times = new Map();
    indent = '';
    step = '  ';
    colorMode = 'auto';
    inspectOptions = undefined;
    ignoresErrors = true;
}
const STATE = Symbol('state');
const main = new State();

// A method that was taken out of the global console is its own.
const stateOf = (self) => self?.[STATE] ?? main;
const consoleOf = (self) => self?.[STATE] === undefined ? console : self;
const streamOf = (self, name) => self?.[STATE] === undefined ? outputOf(process, name)
    : self[`_${name}`];

function hasColors(stream) {
    return stream.isTTY === true && process.env.NO_COLOR === undefined &&
        process.env.TERM !== 'dumb';
}

function optionsFor(state, stream) {
    const colors = state.colorMode === 'auto' ? hasColors(stream) : state.colorMode;
    if (state.inspectOptions !== undefined)
        return { colors, ...state.inspectOptions };
    return colors ? { colors } : undefined;
}

function write(state, stream, text) {
    if (state.indent !== '')
        text = state.indent + text.replaceAll('\n', `\n${state.indent}`);
    if (state.ignoresErrors)
        put(stream, `${text}\n`);
    else
        stream.write(`${text}\n`);
}

function print(self, name, args) {
    const state = stateOf(self), stream = streamOf(self, name);
    write(state, stream, formatWithOptions(optionsFor(state, stream), ...args));
}

function elapsed({ times }, label, method) {
    const start = times.get(label);
    if (start === undefined) {
        process.emitWarning(`No such label '${label}' for console.${method}()`);
        return undefined;
    }
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    if (ms >= 1000)
        return ms < 60000 ? `${(ms / 1000).toFixed(3)}s`
            : `${Math.floor(ms / 60000)}:${(ms % 60000 / 1000).toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
    return `${Number(ms.toFixed(3))}ms`;
}

const methods = {
    log(...args) { print(this, 'stdout', args); },
    warn(...args) { print(this, 'stderr', args); },
    dir(value, options) {
        const state = stateOf(this), stdout = streamOf(this, 'stdout');
        write(state, stdout, inspect(value, { customInspect: false,
            ...optionsFor(state, stdout), ...options }));
    },
    time(label = 'default') {
        const { times } = stateOf(this);
        label = `${label}`;
        if (times.has(label))
            process.emitWarning(`Label '${label}' already exists for console.time()`);
        else
            times.set(label, process.hrtime.bigint());
    },
    timeEnd(label = 'default') {
        const state = stateOf(this);
        const text = elapsed(state, `${label}`, 'timeEnd');
        if (text !== undefined)
            consoleOf(this).log('%s: %s', `${label}`, text);
        state.times.delete(`${label}`);
    },
    timeLog(label = 'default', ...data) {
        const text = elapsed(stateOf(this), `${label}`, 'timeLog');
        if (text !== undefined)
            consoleOf(this).log('%s: %s', `${label}`, text, ...data);
    },
    trace: function trace(...args) {
        const error = { name: 'Trace',
            message: formatWithOptions(undefined, ...args) };
        Error.captureStackTrace(error, trace);
        consoleOf(this).error(error.stack);
    },
    assert(condition, ...args) {
        if (condition)
            return;
        args[0] = args.length === 0 ? 'Assertion failed'
            : `Assertion failed: ${args[0]}`;
        consoleOf(this).warn(...args);
    },
    clear() {
        const stdout = streamOf(this, 'stdout');
        if (stdout.isTTY && process.env.TERM !== 'dumb')
            stdout.write('\u001b[1;1H\u001b[0J');
    },
    count(label = 'default') {
        const { counts } = stateOf(this);
        label = `${label}`;
        const count = (counts.get(label) ?? 0) + 1;
        counts.set(label, count);
        consoleOf(this).log(`${label}: ${count}`);
    },
    countReset(label = 'default') {
        label = `${label}`;
        if (!stateOf(this).counts.delete(label))
            process.emitWarning(`Count for '${label}' does not exist`);
    },
    group(...args) {
        if (args.length > 0)
            consoleOf(this).log(...args);
        const state = stateOf(this);
        state.indent += state.step;
    },
    groupEnd() {
        const state = stateOf(this);
        state.indent = state.indent.slice(0, state.indent.length - state.step.length);
    },
    table(data, columns) {
        if (columns !== undefined && !Array.isArray(columns))
            throw require('core/errors').invalidArgType('properties',
                'an instance of Array', columns);
        if (data === null || typeof data !== 'object')
            consoleOf(this).log(data);
        else
            consoleOf(this).log(require('util/table')(data, columns));
    },
};
methods.debug = methods.log;
methods.info = methods.log;
methods.dirxml = methods.log;
methods.error = methods.warn;
methods.groupCollapsed = methods.group;

const console = {};
for (const [key, value] of Object.entries(methods))
    Object.defineProperty(console, key,
        { value, writable: true, enumerable: true, configurable: true });
// For inspectors, of which there is none.
for (const name of ['profile', 'profileEnd', 'timeStamp'])
    console[name] = { [name]() {} }[name];
Object.defineProperty(console, Symbol.toStringTag,
    { value: 'console', configurable: true });
Object.defineProperty(console, 'Console', { configurable: true, enumerable: true,
    get() {
        return replace(require('program/consoleclass')(console, methods, State, STATE));
    },
    set: replace });
for (const name of ['stdout', 'stderr'])
    Object.defineProperty(console, `_${name}`, { configurable: true,
        get: () => process[name] });

function replace(value) {
    Object.defineProperty(console, 'Console',
        { value, writable: true, enumerable: true, configurable: true });
    return value;
}

module.exports = console;
