// The order of hooks, of the root, of suites and of tests.
// test report
// exit: 1
'use strict';

const { test, describe, it, before, after, beforeEach, afterEach } = require('node:test');

const say = (text) => (t) => console.log(text, t?.name ?? '');

for (const number of [1, 2]) {
    before(say(`root before ${number}`));
    after(say(`root after ${number}`));
    beforeEach(say(`root beforeEach ${number}`));
    afterEach(say(`root afterEach ${number}`));
}

describe('suite', () => {
    before(say('suite before'));
    after(say('suite after'));
    beforeEach(say('suite beforeEach'));
    afterEach(say('suite afterEach 1'));
    afterEach(say('suite afterEach 2'));
    it('first', say('first'));
    it.skip('skipped', say('never'));
    describe('inner', () => {
        beforeEach(say('inner beforeEach'));
        afterEach(say('inner afterEach'));
        it('second', say('second'));
    });
});

test('test', async (t) => {
    t.before(say('test before'));
    t.beforeEach(say('test beforeEach'));
    t.afterEach(say('test afterEach'));
    t.after(say('test after'));
    await t.test('subtest', async (inner) => {
        console.log('subtest');
        await inner.test('innermost', say('innermost'));
    });
    console.log('body ends');
});

test('throws', (t) => {
    t.after(say('after the throw'));
    throw new Error('thrown');
});

test('takes callbacks', (t, done) => {
    t.after((inner, finished) => {
        console.log('callback of a hook', typeof finished);
        finished();
    });
    done();
});
