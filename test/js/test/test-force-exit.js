// --test-force-exit ends a program that something keeps running.
// options: --test-force-exit
// test report
// exit: 1
// weir only: node 20 loses the last line
'use strict';

const { test } = require('node:test');

test('leaves a timer', () => { setInterval(() => {}, 1000); });
test('fails', () => { throw new Error('fails'); });
