// SPDX-License-Identifier: MIT
// run -- run(): test files, each in a separate process, as a stream of events.
'use strict';

const process = require('program/process');
const { checkObject, invalidArgType } = require('core/errors');
const { checkCount, checkSignal, checkTimeout, concurrencyOf } = require('test/check');
const { Harness } = require('test/harness');
const FileTest = require('test/file');

const noOptions = { only: false, patterns: null };

// The arguments of a file's process: this program, with the options for tests in
// a file.
function argumentsOf(file, { patterns, only, forceExit, exec }) {
    const args = [process.execPath, ...exec ?? []];
    for (const pattern of patterns)
        args.push(`--test-name-pattern=${pattern}`);
    if (only)
        args.push('--test-only');
    if (forceExit)
        args.push('--test-force-exit');
    return [...args, file];
}

function patternsOf(value) {
    if (value === undefined || value === null)
        return [];
    return (Array.isArray(value) ? value : [value]).map((one, i) => {
        if (typeof one !== 'string' && !(one instanceof RegExp))
            throw invalidArgType(`options.testNamePatterns[${i}]`,
                'one of type string or an instance of RegExp', one);
        return `${one}`;
    });
}

function shardOf(files, shard) {
    if (shard === undefined || shard === null)
        return files;
    checkObject(shard, 'options.shard');
    checkCount(shard.total, 'options.shard.total', 1);
    checkCount(shard.index, 'options.shard.index', 1);
    if (shard.index > shard.total)
        throw require('core/errors').outOfRange('options.shard.index',
            `>= 1 && <= ${shard.total}`, shard.index);
    return files.filter((_, i) => i % shard.total === shard.index - 1);
}

// Run the files on a harness.  Its promise is fulfilled after the last report.
async function runFiles(harness, files, options) {
    const { root } = harness;
    await Promise.all(files.map((file) => root.createSubtest(FileTest, {
        name: file, fn: () => {}, timeout: options.timeout, signal: options.signal,
        loc: { line: 1, column: 1, file }, args: argumentsOf(file, options),
    }).start()));
    root.postRun();
}

function makeHarness(concurrency) {
    const harness = new Harness(noOptions);
    harness.root.concurrency = concurrency;
    harness.isReady = true;
    return harness;
}

function check(options) {
    checkObject(options, 'options');
    const { files, watch, setup, timeout, signal } = options;
    if (files !== undefined && !Array.isArray(files))
        throw invalidArgType('options.files', 'an instance of Array', files);
    if (watch !== undefined && typeof watch !== 'boolean')
        throw invalidArgType('options.watch', 'of type boolean', watch);
    if (setup !== undefined && typeof setup !== 'function')
        throw invalidArgType('options.setup', 'of type function', setup);
    checkTimeout(timeout);
    checkSignal(signal);
}

// options: {files, concurrency, timeout, signal, setup, testNamePatterns, only,
// shard, forceExit}
function run(options = {}) {
    check(options);
    const { files, concurrency, timeout, signal, setup, testNamePatterns, only } = options;
    const harness = makeHarness(concurrencyOf(concurrency, 1, true));
    const patterns = patternsOf(testNamePatterns), cwd = process.cwd();
    const found = shardOf(files?.map((file) => require('fs/path').resolve(cwd, file)) ??
        require('test/discover')([], cwd), options.shard);
    const begin = async () => {
        await setup?.(harness.reporter);
        await runFiles(harness, found, { timeout, signal, patterns, only,
            forceExit: options.forceExit });
    };
    begin().catch((error) => harness.reporter.destroy(error));
    return harness.reporter;
}

module.exports = Object.assign(run, { makeHarness, runFiles });
