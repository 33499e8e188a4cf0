// Tests with every kind of result, which the programs of test/js/test report.
'use strict';

const assert = require('node:assert');
const { test, describe, it, before, after, beforeEach, afterEach } = require('node:test');

const never = () => new Promise(() => {});

test('passes', () => {});
test('fails an assertion', () => {
    assert.strictEqual(1, 2);
});
test('fails a deep assertion', () => {
    assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] });
});
test('throws two lines', () => {
    throw new Error('one\ntwo');
});
test('throws an error with properties', () => {
    throw Object.assign(new RangeError('range'),
        { code: 'ECODE', list: [1, { x: 'y' }], date: new Date(0), none: null, big: 5n });
});
test('throws with a cause', () => {
    throw new Error('outer', { cause: new TypeError('inner') });
});
test('throws a string', () => { throw 'text'; });
test('throws null', () => { throw null; });
test('throws an object', () => { throw { a: 1 }; });
test('throws a symbol', () => { throw Symbol('s'); });
test('is skipped', { skip: true }, () => { throw new Error('never'); });
test('is skipped with a reason', { skip: 'because # of \\ it' }, () => {});
test('is to be done', { todo: true }, () => {});
test('fails and is to be done', { todo: 'later' }, () => { throw new Error('todo'); });
test('skips itself', (t) => t.skip('itself'));
test('is to be done, it says', (t) => t.todo('itself'));
test.skip('test.skip', () => {});
test.todo('test.todo');
test('has subtests', async (t) => {
    t.diagnostic('a diagnostic # of the parent');
    await t.test('passes', (inner) => inner.diagnostic('a diagnostic of the child'));
    await t.test('fails', () => { throw new TypeError('in a subtest'); });
    await t.test('has a subtest', async (inner) => {
        await inner.test('innermost', () => {});
    });
});
test('calls back', (t, done) => setImmediate(done));
test('calls back with an error', (t, done) => {
    const error = new Error('called back');
    setImmediate(done, error);
});
test('calls back and returns a promise', async (t, done) => done());
test('is too slow', { timeout: 20 }, (t) => new Promise((resolve) => {
    const timer = setTimeout(resolve, 60000);
    t.signal.addEventListener('abort', () => clearTimeout(timer));
}));
test('does not wait for its subtest', (t) => {
    t.test('never ends', never);
});
test('breaks its plan', (t) => {
    t.plan(2);
    t.assert.ok(true);
});
test();
test(() => {});
test(function named() {});
test('a name # with \\ signs\tand <&\'>\nin two lines', () => {});
describe('a suite', () => {
    it('passes', () => {});
    it.skip('is skipped', () => {});
    it.todo('is to be done');
    describe('an inner suite', () => {
        it('fails', () => { throw new Error('in a suite'); });
    });
});
describe('a suite that throws', () => {
    it('is cancelled', () => {});
    throw new Error('of the suite');
});
describe.skip('a suite that is skipped', () => {
    it('is unknown', () => {});
});
describe.todo('a suite that is to be done', () => {
    it('passes', () => {});
});
describe('an empty suite', () => {});
describe('before fails', () => {
    before(() => { throw new Error('in before'); });
    it('is cancelled', () => {});
});
describe('beforeEach fails', () => {
    beforeEach(() => { throw new Error('in beforeEach'); });
    it('fails', () => {});
});
describe('afterEach fails', () => {
    afterEach(() => { throw new Error('in afterEach'); });
    it('fails', () => {});
});
describe('after fails', () => {
    after(() => { throw new Error('in after'); });
    it('passes', () => {});
});
const reason = Object.assign(new Error('given up'), { stack: 'Error: given up' });
test('is aborted before it begins', { signal: AbortSignal.abort(reason) }, () => {});
test('never ends', never);
