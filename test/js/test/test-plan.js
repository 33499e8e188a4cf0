// t.plan() and t.assert
// test report
// exit: 1
'use strict';

const { test } = require('node:test');

test('assertions and subtests count', async (t) => {
    t.plan(2);
    t.assert.ok(true);
    await t.test('subtest', () => {});
});
test('too many', (t) => {
    t.plan(1);
    t.assert.ok(true);
    t.assert.equal(1, 1);
});
test('as an option', { plan: 1 }, () => {});
test('bad plans', (t) => {
    for (const count of ['a', -1, 1.5])
        try {
            t.plan(count);
        } catch (error) {
            console.log(error.code, error.message);
        }
    t.plan(0);
    try {
        t.plan(1);
    } catch (error) {
        console.log(error.message);
    }
});
test('a failed assertion', (t) => {
    t.plan(1);
    t.assert.equal(1, 2);
});
test('the context', (t) => {
    console.log(t.name, t.fullName, t.passed, t.error, t.signal.aborted);
    console.log(Object.keys(t.assert).join(), t.assert.ok.name, t.assert === t.assert);
});
