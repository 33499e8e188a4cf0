// SPDX-License-Identifier: MIT
// harness -- the tests of one program, from the first test() to the exit code.
'use strict';

const process = require('program/process');
const { Test, current, now } = require('test/case');
const { failure, types } = require('test/failure');
const TestsStream = require('test/events');

class Harness {
    isReady = false; // tests may run
    target = null; // the test that is explored (test/explored)
    hasFailed = false;
    counters = { __proto__: null, all: 0, failed: 0, passed: 0, cancelled: 0, skipped: 0,
        todo: 0, topLevel: 0, suites: 0 };

    constructor(options, reporter = new TestsStream()) {
        this.options = options;
        this.reporter = reporter;
        this.root = new Test({ name: '<root>', parent: null, reporter, harness: this,
            timeout: options.timeout, concurrency: 1 });
        this.root.runOnlySubtests = options.only;
        this.root.startTime = now();
    }

    begin() {
        this.isReady = true;
        this.root.processPending();
    }

    count({ nesting, isSuite, skipped, isTodo, cancelled, passed }) {
        const { counters } = this;
        if (nesting === 0)
            counters.topLevel++;
        if (!passed && !isTodo && !skipped)
            this.hasFailed = true;
        if (isSuite) {
            counters.suites++;
            return;
        }
        counters.all++;
        counters[skipped ? 'skipped' : isTodo ? 'todo' : cancelled ? 'cancelled'
            : passed ? 'passed' : 'failed']++;
    }

    // All tests have ended.  What keeps the program running may end by the hooks.
    async runLastHooks() {
        const { root } = this;
        if (root.hasCleaned)
            return;
        root.hasCleaned = true;
        try {
            await root.runHooks(root.hooks.after, root.context);
        } catch (error) {
            root.fail(error);
        }
        root.postRun();
        if (this.options.forceExit) {
            await this.flushed;
            process.exit();
        }
    }

    // The root has ended.
    finish(root) {
        const { reporter, counters } = this;
        if (root.isReported)
            return;
        root.isReported = true;
        if (root.error !== null)
            this.#reportRoot(root);
        reporter.plan(0, undefined, counters.topLevel);
        for (const message of root.diagnostics)
            reporter.diagnostic(0, undefined, message);
        for (const [name, value] of [['tests', counters.all], ['suites', counters.suites],
            ['pass', counters.passed], ['fail', counters.failed],
            ['cancelled', counters.cancelled], ['skipped', counters.skipped],
            ['todo', counters.todo], ['duration_ms', root.duration]])
            reporter.diagnostic(0, undefined, `${name} ${value}`);
        reporter.end();
    }

    // A hook of the root has failed.
    #reportRoot(root) {
        this.hasFailed = true;
        const file = process.argv[1];
        this.reporter.result({ name: file, nesting: 0, number: root.subtests.length + 1,
            details: { __proto__: null, duration_ms: root.duration, error: root.error },
            directive: {}, passed: false,
            loc: root.hooks.after[0]?.loc ?? { line: 1, column: 1, file } });
    }
}

// ---- errors that nothing caught ----

function lateMessage(test, error, event) {
    const tail = 'This activity created the error ' + `"${error}" `;
    if (test === undefined || test.parent === null && test.hookType === undefined)
        return 'Error: A resource generated asynchronous activity after the test ended. ' +
            `${tail}which triggered an ${event} event, caught by the test runner.`;
    const what = test.hookType ? `Test hook "${test.hookType}"` : `Test "${test.name}"`;
    const { loc } = test;
    const where = loc === undefined ? ''
        : ` at ${require('fs/path').relative(process.cwd(), loc.file)}:${loc.line}:${loc.column}`;
    return `Error: ${what}${where} generated asynchronous activity after the test ended. ` +
        `${tail}and would have caused the test to fail, but instead triggered an ${event} event.`;
}

function onError(harness, event, error) {
    if (!harness.isReady)
        throw error; // the program has failed before any test could run
    const test = current.getStore();
    if (test === undefined || test.finished || test.endTime !== null || test === harness.root) {
        harness.root.diagnostic(lateMessage(test, error, event));
        process.exitCode = 1;
        return;
    }
    test.fail(failure(error, event));
    test.controller.abort();
}

// ---- the harness of a program ----

let ofProgram;

function start() {
    const { options } = require('test/options');
    const harness = new Harness(options);
    if (process.env.WEIR_TEST_EXPLORE !== undefined)
        harness.target = require('test/explored').readTarget();
    process.on('uncaughtException', (error) => onError(harness, types.uncaught, error));
    process.on('unhandledRejection', (error) => onError(harness, types.rejection, error));
    process.on('beforeExit', () => harness.root.postRun(failure('Promise resolution ' +
        'is still pending but the event loop has already resolved', types.cancelled)));
    process.on('exit', () => {
        if (harness.hasFailed)
            process.exitCode ||= 1;
    });
    require('test/reporters').connect(harness).then(() => harness.begin());
    return harness;
}

module.exports = { Harness, get harness() { return ofProgram ??= start(); } };
