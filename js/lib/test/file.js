// SPDX-License-Identifier: MIT
// file -- a test file, run in a separate process, as a test of the runner.
//
// Its events are reported when the results of the files before it were.  It is
// reported itself only if it has reported no tests, or if it has failed for
// another reason than a failed test.
'use strict';

const process = require('program/process');
const timers = require('timers/timers');
const { Test } = require('test/case');
const { failure, types } = require('test/failure');

const GRACE_MS = 1000; // between SIGTERM and SIGKILL

const cancelled = new Set([types.cancelled, types.aborted, types.timeout]);
const summary = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.e+-]+$/;

class FileTest extends Test {
    #buffer = [];
    #reported = 0; // tests of the file
    #failed = 0;
    running = new Map(); // tests that have begun and not ended
    files = []; // that it has loaded

    constructor(options) {
        super(options);
        this.args = options.args;
    }

    // ---- events of the file ----

    add(item) {
        const { type, data } = item;
        if (type === 'weir:files') {
            this.files = data;
            return;
        }
        if (type === 'test:dequeue')
            this.running.set(`${data.file}:${data.line}:${data.column} ${data.name}`, data);
        else if (type === 'test:complete')
            this.running.delete(`${data.file}:${data.line}:${data.column} ${data.name}`);
        this.#buffer.push(item);
        if (this.isClearToSend())
            this.#drain();
    }

    #drain() {
        for (const item of this.#buffer.splice(0))
            this.#handle(item);
    }

    #handle({ type, data }) {
        const isTop = data.nesting === 0;
        if (isTop && (type === 'test:plan' ||
            (type === 'test:diagnostic' && summary.test(data.message))))
            return;
        if (type === 'test:pass' || type === 'test:fail') {
            if (isTop)
                data.testNumber = this.harness.counters.topLevel + 1;
            this.#reported++;
            if (type === 'test:fail' && data.todo === undefined)
                this.#failed++;
            this.harness.count({ nesting: data.nesting, passed: type === 'test:pass',
                isSuite: data.details.type === 'suite', skipped: data.skip !== undefined,
                isTodo: data.todo !== undefined,
                cancelled: cancelled.has(data.details.error?.failureType) });
        }
        this.reporter.emitMessage(type, data);
    }

    // ---- running ----

    runBody(stopped) {
        return Promise.race([this.#runChild(), stopped]);
    }

    async runBefore() {}

    async runAfter() {}

    #kill(child) {
        if (child.kill('SIGTERM') !== 0)
            return;
        const timer = timers.setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
        child.exit.then(() => timers.clearTimeout(timer));
    }

    async #runChild() {
        const child = require('test/child').spawn(this.args,
            { ...process.env, WEIR_TEST_CONTEXT: 'child' });
        this.controller.signal.addEventListener('abort', () => this.#kill(child));
        const say = (type) => (message) => this.add({ type,
            data: { __proto__: null, file: this.name, message } });
        const decoder = new (require('test/frames').Decoder)((event) => this.add(event),
            say('test:stdout'));
        child.stdout.on('data', (chunk) => decoder.feed(chunk));
        const sayError = say('test:stderr');
        child.stderr.setEncoding('utf8').on('data', sayError);
        const ended = (stream) => new Promise((resolve) => stream.on('close', resolve));
        const [{ code, signal }] = await Promise.all([child.exit, ended(child.stdout),
            ended(child.stderr)]);
        decoder.end();
        if (code !== 0 || signal !== null)
            throw this.#exitFailure(code, signal);
    }

    #exitFailure(exitCode, signal) {
        const error = failure('test failed', this.#failedTests() ? types.subtests : types.code);
        error.stack = undefined;
        return Object.assign(error, { exitCode, signal });
    }

    #failedTests() {
        return this.#failed > 0 || this.#buffer.some(({ type, data }) =>
            type === 'test:fail' && data.todo === undefined);
    }

    // ---- reports ----

    finalize() {
        this.#drain();
        if (this.#reported > 0 && (this.error === null ||
            this.error.failureType === types.subtests)) {
            this.parent.waitingOn++;
            this.finished = true;
            return;
        }
        this.number = this.harness.counters.topLevel + 1;
        this.report();
        this.parent.waitingOn++;
        this.finished = true;
    }
}

module.exports = FileTest;
