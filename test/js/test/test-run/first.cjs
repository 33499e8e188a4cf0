'use strict';

const { test, describe, it } = require('node:test');

test('one', () => {});
describe('suite', () => {
    it('two', (t) => t.diagnostic('a diagnostic'));
    it('three', () => { throw new Error('fails'); });
});
test('four', { skip: 'reason' });
