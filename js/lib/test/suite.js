// SPDX-License-Identifier: MIT
// suite -- describe(): its function runs at once and makes tests, which run when
// the suite's turn comes.
'use strict';

const { Test } = require('test/case');

class Suite extends Test {
    isBuilt = false; // its function has returned

    constructor(options) {
        super(options);
        this.runOnlySubtests = this.harness.options.only;
        this.building = this.#build(options);
    }

    get isSuite() {
        return true;
    }

    get context() {
        this.ownContext ??= new (require('test/context').SuiteContext)(this);
        return this.ownContext;
    }

    async #build() {
        try {
            const { context } = this;
            await this.call(this.fn, context, [context]);
        } catch (error) {
            this.recordThrown(error);
        } finally {
            this.isBuilt = true;
        }
    }

    async run() {
        const { parent } = this;
        parent.activeSubtests++;
        await this.building;
        this.startTime ??= require('test/case').now();
        let stop;
        try {
            await parent.runHooks(parent.hooks.before, parent.context);
            stop = this.stop();
            if (!this.shouldAbort() && this.error === null && !this.skipped) {
                await this.runHooks(this.hooks.before, this.context);
                await Promise.race([
                    Promise.all(this.subtests.map((test) => test.start())), stop.promise]);
            }
            await this.#after();
            this.pass();
        } catch (error) {
            try {
                await this.#after();
            } catch {} // the first error counts
            this.recordThrown(error);
        } finally {
            stop?.end();
        }
        this.controller.abort();
        this.postRun();
    }

    async #after() {
        if (this.hasCleaned)
            return;
        this.hasCleaned = true;
        await this.runHooks(this.hooks.after, this.context);
    }
}

module.exports = Suite;
