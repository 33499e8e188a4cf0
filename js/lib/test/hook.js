// SPDX-License-Identifier: MIT
// hook -- a function that runs before or after tests.
'use strict';

const { Test } = require('test/case');
const { failure, isFailure, types } = require('test/failure');

class TestHook extends Test {
    #kind;
    #hasRun = false;
    #args = [];

    constructor(options) {
        const { fn, timeout, signal, loc, parent, kind } = options;
        super({ fn, timeout, signal, loc, parent: null, reporter: parent.reporter,
            harness: parent.harness });
        this.owner = parent;
        this.#kind = kind;
    }

    get hookType() {
        return this.#kind;
    }

    get isOnce() {
        return this.#kind === 'before' || this.#kind === 'after';
    }

    failureOf() {
        const { error } = this;
        const outer = failure(`failed running ${this.#kind} hook`, types.hook);
        outer.cause = isFailure(error) ? error.cause : error;
        return outer;
    }

    // Returns null or the failure.
    async runFor(context) {
        if (this.isOnce && this.#hasRun)
            return null;
        this.#hasRun = true;
        this.error = null;
        this.endTime = null;
        this.controller = new (require('events/abort').AbortController)();
        this.#args = [context];
        await this.run();
        return this.error === null ? null : this.failureOf();
    }

    // ---- in place of a test's ----

    async runBefore() {}

    async runAfter() {}

    runBody(stopped) {
        return this.perform(this.#args[0], this.#args, stopped);
    }

    // The code of a hook belongs to the test that it runs for.
    call(fn, self, args) {
        const { current } = require('test/case');
        return current.run(this, () => super.call(fn, self, args));
    }

    postRun() {
        this.endTime = require('test/case').now();
    }
}

module.exports = TestHook;
