// Reporters of the program: a generator function and a class of streams.
// options: --test-reporter=./test-reporter-own/list.cjs --test-reporter-destination=stdout --test-reporter=./test-reporter-own/names.mjs --test-reporter-destination=stderr
// stderr: names: first second 
// exit: 1
'use strict';

const { test } = require('node:test');

test('first', () => {});
test('second', () => { throw new TypeError('fails'); });
