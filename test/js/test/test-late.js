// Errors that nothing caught: during a test, after it, and after all.
// test report
// exit: 1
'use strict';

const { test } = require('node:test');

const soon = () => new Promise((resolve) => setTimeout(resolve, 50));

test('a timer throws', async () => {
    setTimeout(() => { throw new Error('in a timer'); }, 1);
    await soon();
});
test('a promise is rejected', async () => {
    Promise.reject(new Error('rejected'));
    await soon();
});
test('leaves a timer behind', () => {
    setTimeout(() => { throw new Error('too late'); }, 1);
});
let ended;
test('keeps its context', (t) => { ended = t; });
test('waits', soon);
test('adds a subtest to a test that has ended', () => {
    ended.test('added', () => {});
});
