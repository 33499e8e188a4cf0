// SPDX-License-Identifier: MIT
// context -- what the functions of tests and suites get: t.
'use strict';

const { Plan, countedAssert } = require('test/plan');
const { failure, types } = require('test/failure');

// What a test has used, which ends with it.
class Belongings {
    mock = null;
    virtual = null;

    restore() {
        this.mock?.reset();
        this.virtual?.end();
        this.virtual = null;
    }
}

class TestContext {
    #test;
    #assert;

    constructor(test) {
        this.#test = test;
    }

    get signal() {
        return this.#test.controller.signal;
    }

    get name() {
        return this.#test.name;
    }

    get fullName() {
        return this.#test.fullName;
    }

    get error() {
        return this.#test.error;
    }

    get passed() {
        return this.#test.passed;
    }

    diagnostic(message) {
        this.#test.diagnostic(message);
    }

    plan(count) {
        if (this.#test.plan !== null)
            throw failure('cannot set plan more than once', types.code);
        this.#test.plan = new Plan(count);
    }

    get assert() {
        this.#assert ??= countedAssert(this.#test);
        return this.#assert;
    }

    get mock() {
        const { belongings } = this.#test;
        belongings.mock ??= new (require('test/mock').MockTracker)();
        return belongings.mock;
    }

    // Time moves when every thread of the program is asleep, until the test ends.
    virtualTime() {
        const { belongings } = this.#test;
        belongings.virtual ??= require('test/virtual').begin();
    }

    runOnly(value) {
        this.#test.runOnlySubtests = !!value;
    }

    skip(message) {
        this.#test.skip(message);
    }

    todo(message) {
        this.#test.todo(message);
    }

    test(name, options, fn) {
        const { parse, locate } = require('test/arguments');
        if (this.#test.plan !== null)
            this.#test.plan.actual++;
        const { Test } = require('test/case');
        const subtest = this.#test.createSubtest(Test,
            { ...parse(name, options, fn), loc: locate() });
        return subtest.start();
    }

    before(fn, options) {
        this.#test.addHook('before', fn, options, require('test/arguments').locate());
    }

    after(fn, options) {
        this.#test.addHook('after', fn, options, require('test/arguments').locate());
    }

    beforeEach(fn, options) {
        this.#test.addHook('beforeEach', fn, options, require('test/arguments').locate());
    }

    afterEach(fn, options) {
        this.#test.addHook('afterEach', fn, options, require('test/arguments').locate());
    }
}

class SuiteContext {
    #suite;

    constructor(suite) {
        this.#suite = suite;
    }

    get signal() {
        return this.#suite.controller.signal;
    }

    get name() {
        return this.#suite.name;
    }

    get fullName() {
        return this.#suite.fullName;
    }
}

module.exports = { Belongings, TestContext, SuiteContext };
