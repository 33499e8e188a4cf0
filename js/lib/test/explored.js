// SPDX-License-Identifier: MIT
// explored -- the option `explore` of a test: its function runs under the
// schedules of `weir explore`.
//
// The runner starts the explorer with the program's own file, and names the test
// by its place among the others, in WEIR_TEST_EXPLORE.  There only that test
// runs, with what is around it, and its failure is the exit status.
'use strict';

const process = require('program/process');
const { failure, types } = require('test/failure');

const isActive = () => require('explore/explore').isActive();

// ---- in the explorer ----

// The place of the test to run, or null.
function readTarget() {
    const text = process.env.WEIR_TEST_EXPLORE;
    return text !== undefined && isActive() ? JSON.parse(text) : null;
}

function placeOf(test) {
    const numbers = [];
    for (let at = test; at.parent !== null; at = at.parent)
        numbers.unshift(at.number);
    return numbers;
}

// Whether the test is the target, in it, or around it.
function isOnPath(test, target) {
    return placeOf(test).every((number, i) => i >= target.length || number === target[i]);
}

// ---- in the runner ----

function optionsOf(explore) {
    const { preemptions, exhaustive, reduction, replay } = explore, options = ['--quiet'];
    if (replay !== undefined)
        return [...options, `--replay=${replay}`];
    if (exhaustive || preemptions !== undefined)
        options.push('--exhaustive');
    if (reduction === false)
        options.push('--no-reduction');
    for (const name of ['preemptions', 'seconds', 'executions', 'seed', 'steps'])
        if (explore[name] !== undefined)
            options.push(`--${name}=${explore[name]}`);
    return options;
}

function collect(stream) {
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk) => { text += chunk; });
    return new Promise((resolve) => stream.on('close', () => resolve(text)));
}

async function runExplorer(test) {
    const file = require('core/hooks').program?.file;
    if (file === undefined)
        throw failure('only tests in a file can be explored', types.code);
    const child = require('test/child').spawn(
        [process.execPath, 'explore', ...optionsOf(test.explore), file],
        { ...process.env, WEIR_TEST_EXPLORE: JSON.stringify(placeOf(test)) });
    test.controller.signal.addEventListener('abort', () => child.kill('SIGKILL'));
    const [{ code, signal }, output, errors] = await Promise.all([child.exit,
        collect(child.stdout), collect(child.stderr)]);
    return { code, signal, output, errors };
}

// How to run only the schedule that has failed.
function replayOf(lines) {
    const picks = lines.map((line) => /^replay: --replay=(\S+)$/.exec(line)?.[1])
        .find((one) => one !== undefined);
    return picks === undefined ? '' : `; repeat it with explore: { replay: '${picks}' }`;
}

// The report becomes diagnostics of the test.
async function explore(test) {
    const { code, signal, output, errors } = await runExplorer(test);
    const lines = output.split('\n').filter((line) => line !== '');
    if (code === 0 || code === 1)
        for (const line of lines)
            test.diagnostic(line);
    if (code === 0)
        return;
    if (code === 1)
        throw failure(`${lines[0]}${replayOf(lines)}`, types.code);
    throw failure(signal !== null ? `weir explore was ended by ${signal}`
        : errors.trim() || `weir explore ended with ${code}`, types.code);
}

// The function of a test that has the option.
function perform(test, stopped) {
    if (isActive())
        return test.perform(test.context, [test.context], stopped);
    if (test.explore === true)
        test.explore = {};
    return Promise.race([explore(test), stopped]);
}

module.exports = { isActive, isOnPath, perform, readTarget };
