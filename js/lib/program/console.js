// SPDX-License-Identifier: MIT
// console -- Node's console, on the process's stdout and stderr.
'use strict';

const { inspect } = require('util/inspect');
const { formatWithOptions } = require('util/format');
const process = require('program/process');
const { outputOf, print: put } = require('program/stdio');

let indent = '';
const counts = new Map(), times = new Map();

function colorsFor(stream) {
    return stream.isTTY === true && process.env.NO_COLOR === undefined &&
        process.env.TERM !== 'dumb';
}

function write(stream, text) {
    if (indent !== '')
        text = indent + text.replaceAll('\n', `\n${indent}`);
    put(stream, `${text}\n`);
}

function print(stream, args) {
    write(stream, formatWithOptions(
        colorsFor(stream) ? { colors: true } : undefined, ...args));
}

function elapsed(label, method) {
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

const console = {
    log(...args) { print(outputOf(process, 'stdout'), args); },
    warn(...args) { print(outputOf(process, 'stderr'), args); },
    dir(value, options) {
        const stdout = outputOf(process, 'stdout');
        write(stdout, inspect(value, { customInspect: false,
            ...(colorsFor(stdout) ? { colors: true } : undefined), ...options }));
    },
    time(label = 'default') {
        label = `${label}`;
        if (times.has(label))
            process.emitWarning(`Label '${label}' already exists for console.time()`);
        else
            times.set(label, process.hrtime.bigint());
    },
    timeEnd(label = 'default') {
        const text = elapsed(`${label}`, 'timeEnd');
        if (text !== undefined)
            console.log('%s: %s', `${label}`, text);
        times.delete(`${label}`);
    },
    timeLog(label = 'default', ...data) {
        const text = elapsed(`${label}`, 'timeLog');
        if (text !== undefined)
            console.log('%s: %s', `${label}`, text, ...data);
    },
    trace: function trace(...args) {
        const error = { name: 'Trace',
            message: formatWithOptions(undefined, ...args) };
        Error.captureStackTrace(error, trace);
        console.error(error.stack);
    },
    assert(condition, ...args) {
        if (condition)
            return;
        args[0] = args.length === 0 ? 'Assertion failed'
            : `Assertion failed: ${args[0]}`;
        console.warn(...args);
    },
    clear() {
        const stdout = outputOf(process, 'stdout');
        if (stdout.isTTY && process.env.TERM !== 'dumb')
            stdout.write('\u001b[1;1H\u001b[0J');
    },
    count(label = 'default') {
        label = `${label}`;
        const count = (counts.get(label) ?? 0) + 1;
        counts.set(label, count);
        console.log(`${label}: ${count}`);
    },
    countReset(label = 'default') {
        label = `${label}`;
        if (!counts.delete(label))
            process.emitWarning(`Count for '${label}' does not exist`);
    },
    group(...args) {
        if (args.length > 0)
            console.log(...args);
        indent += '  ';
    },
    groupEnd() { indent = indent.slice(0, -2); },
    table(data, columns) {
        if (columns !== undefined && !Array.isArray(columns))
            throw require('core/errors').invalidArgType('properties',
                'an instance of Array', columns);
        if (data === null || typeof data !== 'object')
            console.log(data);
        else
            console.log(require('util/table')(data, columns));
    },
};
console.debug = console.log;
console.info = console.log;
console.dirxml = console.log;
console.error = console.warn;
console.groupCollapsed = console.group;
for (const [key, value] of Object.entries(console))
    Object.defineProperty(console, key,
        { value, writable: true, enumerable: true, configurable: true });
Object.defineProperty(console, Symbol.toStringTag,
    { value: 'console', configurable: true });

module.exports = console;
