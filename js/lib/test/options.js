// SPDX-License-Identifier: MIT
// options -- what the command line says about tests.  The program weir has
// checked that each option exists and has a value (cli/options.c).
'use strict';

const process = require('program/process');
const { coded } = require('core/errors');

function fail(message) {
    throw coded(Error, 'ERR_INVALID_ARG_VALUE', message);
}

// The values of each option, in the order of the command line.
function read(args) {
    const found = { __proto__: null };
    for (let i = 0; i < args.length; i++) {
        const match = /^--(test(?:-[a-z-]+)?|watch)(?:=(.*))?$/s.exec(args[i]);
        if (match === null)
            continue;
        const [, name, text] = match;
        const isFlag = ['test', 'watch', 'test-only', 'test-force-exit'].includes(name);
        (found[name] ??= []).push(text ?? (isFlag ? true : args[++i]));
    }
    return found;
}

const last = (list) => list?.[list.length - 1];

// "stdout", "stderr" or the name of a file for each reporter.
function destinations(reporters, found) {
    const names = found['test-reporter-destination'] ?? [];
    if (reporters.length === 1 && names.length === 0)
        return ['stdout'];
    if (names.length !== reporters.length)
        fail("The argument '--test-reporter' must match the number of specified " +
            `'--test-reporter-destination'. Received ${
                require('util/inspect').inspect(reporters)}`);
    return names;
}

// "2/5": [2, 5]
function shardOf(text) {
    if (text === undefined)
        return null;
    const match = /^(\d+)\/(\d+)$/.exec(text);
    if (match === null)
        fail("The argument '--test-shard' must be in the form of <index>/<total>. " +
            `Received '${text}'`);
    const [index, total] = [+match[1], +match[2]];
    if (index < 1 || index > total)
        fail(`The index of '--test-shard' must be from 1 to ${total}. Received ${index}`);
    return { index, total };
}

function make() {
    const found = read(process.execArgv);
    const isChild = process.env.WEIR_TEST_CONTEXT === 'child';
    const isExplored = process.env.WEIR_TEST_EXPLORE !== undefined &&
        require('test/explored').isActive();
    const reporters = isExplored ? ['weir:explored'] : isChild ? ['weir:frames'] : found['test-reporter'] ??
        [process.stdout.isTTY ? 'spec' : 'tap'];
    const number = (name) => found[name] === undefined ? undefined : +last(found[name]);
    return {
        isChild,
        isRunner: found.test !== undefined,
        watch: found.watch !== undefined,
        only: found['test-only'] !== undefined,
        forceExit: found['test-force-exit'] !== undefined,
        reporters,
        destinations: isChild || isExplored ? ['stdout'] : destinations(reporters, found),
        patterns: found['test-name-pattern']?.map(require('test/pattern').parse) ?? null,
        concurrency: number('test-concurrency'),
        timeout: number('test-timeout'),
        shard: shardOf(last(found['test-shard'])),
    };
}

let made;

module.exports = { get options() { return made ??= make(); } };
