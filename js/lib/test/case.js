// SPDX-License-Identifier: MIT
// case -- one test: it runs, after those before it, and its result is reported
// when the results before it were.
//
// The root is a test without a function.  A test belongs to its parent: the test
// or suite in whose function it was made, which is found by the async context.
'use strict';

const { AsyncLocalStorage } = require('events/async_hooks');
const { callWith, context } = require('core/context');
const timers = require('timers/timers');
const process = require('program/process');
const { checkExplore, checkSignal, checkTimeout, concurrencyOf } = require('test/check');
const { failure, failureHere, isFailure, types } = require('test/failure');
const { Plan } = require('test/plan');
const { Belongings, TestContext } = require('test/context');

// The test that the running code belongs to.
const current = new AsyncLocalStorage();

const now = () => process.hrtime.bigint();
const noop = () => {};

const NEEDS_ONLY = "'only' and 'runOnly' require the --test-only command-line option.";

class Test {
    error = null;
    passed = false;
    cancelled = false;
    finished = false;
    isReported = false; // the root
    wasStarted = false; // the report of its start was sent
    startTime = null;
    endTime = null;
    diagnostics = [];
    subtests = [];
    pending = []; // subtests that wait for their turn
    ready = new Map(); // by number: finished subtests that are not yet reported
    waitingOn = 0; // the number of the next subtest to report
    activeSubtests = 0;
    runOnlySubtests = false;
    hooks = { __proto__: null, before: [], after: [], beforeEach: [], afterEach: [] };
    plan = null;
    ownContext = null;
    belongings = new Belongings();

    constructor(options) {
        const { name, fn, parent, loc, skip, todo, signal } = options;
        this.parent = parent;
        this.loc = loc;
        this.name = typeof name === 'string' && name !== '' ? name
            : (typeof fn === 'function' && fn.name) || '<anonymous>';
        this.fn = fn ?? noop;
        this.inherit(parent, options);
        checkTimeout(options.timeout);
        this.timeout = options.timeout ?? parent?.timeout ?? Infinity;
        this.concurrency = concurrencyOf(options.concurrency, parent?.concurrency ?? 1,
            parent === null);
        checkSignal(signal);
        checkExplore(options.explore);
        this.explore = options.explore;
        this.controller = new (require('events/abort').AbortController)();
        this.outerSignal = signal;
        this.onAbort = () => this.abort();
        signal?.addEventListener('abort', this.onAbort);
        if (options.plan !== undefined)
            this.plan = new Plan(options.plan);
        this.skipped = skip !== undefined && skip !== false;
        this.isTodo = todo !== undefined && todo !== false;
        this.message = typeof skip === 'string' ? skip
            : typeof todo === 'string' ? todo : null;
        if (this.skipped)
            this.fn = noop;
        this.filter(options);
        this.scope = current.run(this, context);
    }

    inherit(parent, options) {
        this.root = parent === null ? this : parent.root;
        this.reporter = parent === null ? options.reporter : parent.reporter;
        this.harness = parent === null ? options.harness : parent.harness;
        this.nesting = parent === null ? 0 : parent.parent === null ? 0 : parent.nesting + 1;
        this.number = parent === null ? 0 : parent.subtests.length + 1;
        this.only = options.only ?? (parent !== null && !parent.runOnlySubtests);
    }

    // --test-only and --test-name-pattern
    filter(options) {
        const { parent, harness } = this;
        if (parent === null)
            return;
        if (harness.target !== null) {
            if (!require('test/explored').isOnPath(this, harness.target))
                this.skipAs('another test is explored');
            return;
        }
        if (harness.options.only && !this.only)
            this.skipAs("'only' option not set");
        else if (harness.options.patterns !== null && !this.isSuite && !this.matches())
            this.skipAs('test name does not match pattern');
        if ((options.only || parent.runOnlySubtests) && !harness.options.only)
            this.diagnostic(NEEDS_ONLY);
    }

    skipAs(message) {
        this.fn = noop;
        this.skip(message);
    }

    matches() {
        return this.harness.options.patterns.some((pattern) =>
            require('test/pattern').matches(pattern, this));
    }

    get isSuite() {
        return false;
    }

    get fullName() {
        return this.parent === null || this.parent.parent === null ? this.name
            : `${this.parent.fullName} > ${this.name}`;
    }

    // ---- subtests ----

    hasConcurrency() {
        return this.concurrency > this.activeSubtests &&
            (this.parent !== null || this.harness.isReady);
    }

    // A test that has ended gives its subtests to the root, so that the error is
    // reported.
    createSubtest(Kind, options) {
        const isLate = this.finished || this.isBuilt === true;
        const parent = isLate ? this.root : this;
        const test = new Kind({ ...options, parent });
        if (parent.waitingOn === 0)
            parent.waitingOn = test.number;
        if (isLate)
            test.fail(failureHere('test could not be started because its parent finished',
                types.parentFinished));
        parent.subtests.push(test);
        return test;
    }

    async processPending() {
        while (this.pending.length > 0 && this.hasConcurrency()) {
            const { test, resolve } = this.pending.shift();
            test.reporter.dequeue(test);
            await test.run();
            resolve();
        }
    }

    processReady(canSend) {
        for (let test; (test = this.ready.get(this.waitingOn)) !== undefined;) {
            canSend ||= this.isClearToSend();
            if (!canSend)
                return;
            if (this.waitingOn === 1 && this.parent !== null)
                this.reportStarted();
            this.ready.delete(this.waitingOn);
            test.finalize();
        }
    }

    isClearToSend() {
        const { parent } = this;
        return parent === null ||
            (parent.waitingOn === this.number && parent.isClearToSend());
    }

    // Its parent waits for it.
    finalize() {
        this.processReady(true);
        this.report();
        this.parent.waitingOn++;
        this.finished = true;
    }

    // ---- results ----

    pass() {
        if (this.error === null)
            this.passed = true;
    }

    fail(error) {
        if (this.error !== null)
            return;
        this.passed = false;
        this.error = error;
    }

    cancel(error) {
        if (this.endTime !== null || this.error !== null)
            return;
        this.fail(error ?? failure('test did not finish before its parent and was cancelled',
            types.cancelled));
        if (this.startTime === null)
            this.startTime = this.endTime = now();
        this.cancelled = true;
        this.controller.abort();
    }

    abort() {
        const error = this.outerSignal?.reason ?? new Error('The test was aborted');
        error.failureType = types.aborted;
        this.cancel(error);
    }

    skip(message) {
        this.skipped = true;
        this.message = message;
    }

    todo(message) {
        this.isTodo = true;
        this.message = message;
    }

    diagnostic(message) {
        this.diagnostics.push(message);
    }

    // ---- hooks ----

    addHook(kind, fn, options, loc) {
        const hook = new (require('test/hook'))({ ...options, fn, loc, parent: this, kind });
        this.hooks[kind].push(hook);
        if (kind === 'before' && this.startTime !== null && this.parent !== null)
            hook.runFor(this.context).then((error) => {
                if (error !== null)
                    this.fail(error);
            });
    }

    // Those of the parents come first, or last after a test.
    chain(kind) {
        const own = this.hooks[kind], outer = this.parent?.chain(kind) ?? [];
        return kind === 'beforeEach' ? [...outer, ...own] : [...own, ...outer];
    }

    async runHooks(hooks, context) {
        for (const hook of hooks) {
            const error = await hook.runFor(context);
            if (error !== null)
                throw error;
        }
    }

    // ---- running ----

    get context() {
        this.ownContext ??= new TestContext(this);
        return this.ownContext;
    }

    start() {
        this.reporter.enqueue(this);
        if (this.parent.hasConcurrency()) {
            this.reporter.dequeue(this);
            return this.run();
        }
        return new Promise((resolve) => {
            this.parent.pending.push({ test: this, resolve });
        });
    }

    shouldAbort() {
        if (this.outerSignal?.aborted) {
            this.abort();
            return true;
        }
        return this.controller.signal.aborted || this.cancelled;
    }

    // Settles when the test must end: after its timeout or when it is aborted.
    stop() {
        const { signal } = this.controller;
        const timeout = this.harness.target === null ? this.timeout : Infinity;
        let timer, onAbort;
        const promise = new Promise((resolve, reject) => {
            onAbort = () => resolve();
            signal.addEventListener('abort', onAbort);
            if (timeout !== Infinity)
                timer = timers.setTimeout(() => reject(failure(
                    `test timed out after ${timeout}ms`, types.timeout)), timeout).unref();
        });
        promise.catch(noop);
        return { promise, end() {
            signal.removeEventListener('abort', onAbort);
            timers.clearTimeout(timer);
        } };
    }

    // Call the function of the test in its context.
    call(fn, self, args) {
        return callWith(this.scope, fn, self, args);
    }

    // A function with one more parameter gets a callback.
    async perform(self, args, stopped) {
        if (this.fn.length === args.length + 1) {
            const done = require('test/callback')();
            const result = this.call(this.fn, self, [...args, done.callback]);
            if (require('util/kinds').classOf(result) === 'Promise') {
                this.fail(failure('passed a callback but also returned a Promise',
                    types.callbackAndPromise));
                await Promise.race([result, stopped]);
            } else {
                await Promise.race([done.promise, stopped]);
            }
        } else {
            const result = this.call(this.fn, self, args);
            await Promise.race([result, stopped]);
        }
    }

    async runBefore() {
        const { parent } = this;
        if (parent === null)
            return;
        await parent.runHooks(parent.hooks.before, parent.context);
        if (!this.skipped)
            await parent.runHooks(parent.chain('beforeEach'), this.context);
    }

    async runAfter() {
        const { parent } = this;
        if (!this.hasEnded && parent !== null && !this.skipped) {
            this.hasEnded = true;
            await parent.runHooks(parent.chain('afterEach'), this.context);
        }
        if (!this.hasCleaned) {
            this.hasCleaned = true;
            await this.runHooks(this.hooks.after, this.context);
        }
    }

    recordThrown(error) {
        if (isFailure(error) && error.failureType === types.timeout)
            this.cancel(error);
        else
            this.fail(isFailure(error) ? error : failure(error, types.code));
    }

    async run(pendingError) {
        if (this.parent !== null)
            this.parent.activeSubtests++;
        this.startTime ??= now();
        if (this.shouldAbort()) {
            this.postRun();
            return;
        }
        let stop;
        try {
            await this.runBefore();
            stop = this.stop();
            await this.runBody(stop.promise);
            this.plan?.check();
            this.pass();
            await this.runAfter();
        } catch (error) {
            this.recordThrown(error);
            try {
                await this.runAfter();
            } catch {} // the first error counts
        } finally {
            stop?.end();
            this.controller.abort(); // for what the test has left running
        }
        this.postRun(pendingError);
    }

    runBody(stopped) {
        if (this.explore !== undefined && this.explore !== false && !this.skipped)
            return require('test/explored').perform(this, stopped);
        return this.perform(this.context, [this.context], stopped);
    }

    // ---- the end ----

    endSubtests(error) {
        let failed = 0;
        for (const test of this.subtests) {
            if (!test.finished && !this.ready.has(test.number)) {
                test.cancel(error);
                test.postRun(error);
            }
            if (!test.passed && !test.isTodo)
                failed++;
        }
        return failed;
    }

    postRun(pendingError) {
        this.belongings.restore(); // ends virtual time
        this.endTime ??= now();
        this.startTime ??= this.endTime;
        this.pending = [];
        const failed = this.endSubtests(pendingError);
        if (failed > 0 && this.passed && this.parent !== null) {
            this.passed = false;
            this.fail(failure(`${failed} subtest${failed > 1 ? 's' : ''} failed`,
                types.subtests));
        }
        this.outerSignal?.removeEventListener('abort', this.onAbort);
        if (this.parent === null)
            this.harness.finish(this);
        else
            this.tellParent();
    }

    tellParent() {
        const { parent } = this;
        this.reporter.complete(this);
        parent.activeSubtests--;
        parent.ready.set(this.number, this);
        parent.processReady(false);
        parent.processPending();
        if (parent.parent === null &&
            (parent.hooks.after.length > 0 || this.harness.options.forceExit) &&
            parent.activeSubtests === 0 && parent.pending.length === 0 &&
            parent.ready.size === 0)
            this.harness.runLastHooks();
    }

    // ---- reports ----

    get duration() {
        return this.startTime === null ? 0
            : Math.max(0, Number((this.endTime ?? now()) - this.startTime) / 1e6);
    }

    get directive() {
        return this.skipped ? { skip: this.message ?? true }
            : this.isTodo ? { todo: this.message ?? true } : {};
    }

    get details() {
        const details = { __proto__: null, duration_ms: this.duration };
        if (this.isSuite)
            details.type = 'suite';
        if (!this.passed)
            details.error = this.error;
        return details;
    }

    reportStarted() {
        if (this.wasStarted || this.parent === null)
            return;
        this.wasStarted = true;
        this.parent.reportStarted();
        this.reporter.start(this);
    }

    report() {
        this.harness.count(this);
        if (this.subtests.length > 0)
            this.reporter.plan(this.subtests[0].nesting, this.loc, this.subtests.length);
        else
            this.reportStarted();
        this.reporter.result(this);
        for (const message of this.diagnostics)
            this.reporter.diagnostic(this.nesting, this.loc, message);
    }
}

module.exports = { Test, current, now, noop };
