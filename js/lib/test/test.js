// SPDX-License-Identifier: MIT
// node:test -- test(), describe() and the rest, which make tests.
'use strict';

const { Test, current } = require('test/case');
const Suite = require('test/suite');
const { parse, locate } = require('test/arguments');

// The test whose function has called; otherwise the root.
function parentOf() {
    const found = current.getStore();
    return found === undefined || found.hookType !== undefined
        ? require('test/harness').harness.root : found;
}

// A suite runs its tests itself.
function make(Kind, name, options, fn, overrides) {
    const parent = parentOf();
    const test = parent.createSubtest(Kind,
        { ...parse(name, options, fn), ...overrides, loc: locate() });
    if (parent.isSuite)
        return Promise.resolve();
    return test.start();
}

function maker(Kind) {
    const test = (name, options, fn) => make(Kind, name, options, fn);
    for (const key of ['skip', 'todo', 'only'])
        test[key] = Object.defineProperty((name, options, fn) =>
            make(Kind, name, options, fn, { [key]: true }), 'name',
        { value: '', configurable: true });
    return Object.defineProperty(test, 'name', { value: 'test', configurable: true });
}

const test = maker(Test), describe = maker(Suite);

function hook(kind) {
    return Object.defineProperty((fn, options) => {
        parentOf().addHook(kind, fn, options, locate());
    }, 'name', { value: '', configurable: true });
}

for (const kind of ['after', 'afterEach', 'before', 'beforeEach'])
    test[kind] = hook(kind);
Object.assign(test, { describe, it: test,
    run: function run(options) { return require('test/run')(options); },
    suite: describe, test });

let mock;
Object.defineProperty(test, 'mock', { configurable: true, enumerable: true,
    get: Object.defineProperty(() => mock ??= new (require('test/mock').MockTracker)(),
        'name', { value: 'get' }) });

module.exports = test;
