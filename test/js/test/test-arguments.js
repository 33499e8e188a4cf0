// The arguments of test() and of hooks.
// test report
'use strict';

const tests = require('node:test');

const { test, before } = tests;

console.log(tests === test, test.it === test, test.suite === test.describe,
    Object.keys(tests).join());
for (const options of [{ concurrency: 'a' }, { concurrency: 0 }, { concurrency: 1.5 },
    { timeout: 'a' }, { timeout: -1 }, { timeout: 2 ** 31 }, { signal: 3 }])
    try {
        test('refused', options, () => {});
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
for (const options of [{ timeout: 'a' }, { signal: 'a' }])
    try {
        before(() => {}, options);
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
test({ skip: true });
test({ todo: 'why' }, () => console.log('todo runs'));
test('name', () => console.log('name'));
test('name and options', {}, () => console.log('options'));
test(null, null, null);
test(undefined, {}, function named() { console.log(this.constructor.name, this.name); });
test(() => console.log('no name'));
test('a promise', async () => console.log(await test('inner', () => 5)));
