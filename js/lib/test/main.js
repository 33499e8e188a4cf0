// SPDX-License-Identifier: MIT
// main -- `weir test`: the files of the command line, through reporters, to an
// exit status.
'use strict';

const process = require('program/process');
const { failure, types } = require('test/failure');

const FAILED = 1, BAD_OPTION = 9;

function exitWithError(message, code) {
    process.stderr.write(`weir test: ${message}\n`);
    process.exit(code);
}

function optionsOf() {
    try {
        return require('test/options').options;
    } catch (error) {
        return exitWithError(error.message, BAD_OPTION);
    }
}

function filesOf({ shard }) {
    try {
        const files = require('test/discover')(process.argv.slice(1), process.cwd());
        return shard === null ? files
            : files.filter((_, i) => i % shard.total === shard.index - 1);
    } catch (error) {
        if (error.missing === undefined)
            throw error;
        return exitWithError(error.message, FAILED);
    }
}

// The options of this process that are not for its tests.
function execArgs() {
    const args = [], all = process.execArgv;
    for (let i = 0; i < all.length; i++) {
        if (!/^--(test|watch)/.test(all[i]))
            args.push(all[i]);
        else if (/^--test-(name-pattern|reporter|reporter-destination|concurrency|timeout|shard)$/
            .test(all[i]))
            i++; // its value
    }
    return args;
}

// What ran when a signal came.
function listRunning(root) {
    const path = require('fs/path'), lines = [];
    for (const file of root.subtests) {
        if (file.startTime === null || file.endTime !== null)
            continue;
        lines.push(`  ${path.relative(process.cwd(), file.name)}`);
        for (const { name, line, column, nesting } of file.running.values())
            lines.push(`  ${'  '.repeat(nesting + 1)}${name} (${line}:${column})`);
    }
    return lines.length > 0 ? `\nInterrupted while these were running:\n${lines.join('\n')}\n`
        : '\nInterrupted.\n';
}

// The first Ctrl-C ends the tests and reports; the second one ends the program.
function watchSignals(harness, stop) {
    for (const [name, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]])
        process.once(name, () => {
            process.stderr.write(listRunning(harness.root));
            stop();
            process.exitCode = code;
            for (const file of harness.root.subtests)
                file.cancel(failure(`the test was interrupted by ${name}`, types.cancelled));
            process.once(name, () => process.exit(code));
        });
}

async function runOnce(options, files, onHarness) {
    const { makeHarness, runFiles } = require('test/run');
    const { concurrencyOf } = require('test/check');
    const harness = makeHarness(options.concurrency ?? concurrencyOf(true, 1, true));
    harness.options = { ...harness.options, reporters: options.reporters,
        destinations: options.destinations };
    await require('test/reporters').connect(harness);
    onHarness(harness);
    await runFiles(harness, files, { timeout: options.timeout, only: options.only,
        forceExit: options.forceExit, exec: execArgs(),
        patterns: options.patterns ?? [] });
    return harness;
}

async function start() {
    const options = optionsOf();
    if (options.watch) {
        await require('test/watch')(options, filesOf, runOnce);
        return;
    }
    const harness = await runOnce(options, filesOf(options),
        (made) => watchSignals(made, () => {}));
    if (harness.hasFailed)
        process.exitCode ||= FAILED;
}

module.exports = { start: () => {
    start().catch((error) => exitWithError(error.stack, FAILED));
} };
