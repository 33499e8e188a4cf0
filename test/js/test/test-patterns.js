// --test-name-pattern: the name of a test, or of one around it.
// options: --test-name-pattern=second --test-name-pattern=/SUITE.two/i --test-name-pattern=^fifth$
// test report
'use strict';

const { test, describe, it } = require('node:test');

test('first', () => console.log('never'));
test('second', async (t) => {
    console.log('second');
    await t.test('subtest', () => console.log('subtest'));
});
describe('suite one', () => {
    it('third', () => console.log('never'));
    it('has second in its name', () => console.log('second in the suite'));
});
describe('suite two', () => {
    it('fourth', () => console.log('fourth'));
    describe('inner', () => {
        it('fourth', () => console.log('inner fourth'));
    });
});
describe('suite three', () => {
    it('fifth', () => console.log('fifth'));
    it('fifth and more', () => console.log('never'));
});
