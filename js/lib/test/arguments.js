// SPDX-License-Identifier: MIT
// arguments -- what test(), it() and describe() were called with, and where.
'use strict';

// ([name], [options], [fn])
function parse(name, options, fn) {
    if (typeof name === 'function')
        fn = name;
    else if (name !== null && typeof name === 'object')
        [fn, options] = [options, name];
    else if (typeof options === 'function')
        fn = options;
    const given = options !== null && typeof options === 'object' ? options : {};
    const { concurrency, only, timeout, todo, skip, signal, plan, explore } = given;
    return { name, fn: typeof fn === 'function' ? fn : undefined, concurrency, only,
        timeout, todo, skip, signal, plan, explore };
}

// The line of the program that has called: {line, column, file}, or undefined.
function locate() {
    const { stackTraceLimit, prepareStackTrace } = Error;
    Error.stackTraceLimit = 20;
    Error.prepareStackTrace = undefined;
    const frames = new Error('').stack.split('\n');
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
    for (const frame of frames) {
        const match = /^ {4}at (?:.*? \()?(.*):(\d+):(\d+)\)?$/.exec(frame);
        if (match !== null && !match[1].startsWith('node:'))
            return { line: +match[2], column: +match[3], file: toPath(match[1]) };
    }
    return undefined;
}

function toPath(name) {
    return name.startsWith('file:') ? require('program/module').pathOf(name) : name;
}

module.exports = { parse, locate };
