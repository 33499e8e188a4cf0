// `only` without --test-only.
// test report
'use strict';

const { test, describe, it } = require('node:test');

test('not run', () => console.log('run'));
test('run', { only: true }, async (t) => {
    await t.test('first', () => console.log('first'));
    t.runOnly(true);
    await t.test('second', () => console.log('run'));
    await t.test('third', { only: true }, () => console.log('third'));
});
test.only('run, too', () => console.log('run, too'));
describe('suite', () => {
    it('not run', () => console.log('run'));
    it.only('not run either', () => console.log('run'));
});
describe.only('suite of only', () => {
    it('not run', () => console.log('run'));
    it.only('run', () => console.log('run in the suite'));
});
