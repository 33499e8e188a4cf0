'use strict';
const { project, run } = require('./helpers/command.cjs');

// The line of a failure is read from its stack, which differs.
const cwd = project({
    'package.json': '{"name":"project"}\n',
    'sum.js': 'module.exports = (a, b) => a + b;\n',
    'sum.test.js': `const sum = require('./sum');
const fs = require('node:fs');
jest.mock('node:os', () => ({ platform: () => 'mocked' }));
describe('sum', () => {
    test('adds', () => expect(sum(1, 2)).toBe(3));
    test.each([[1, 1, 2], [2, 2, 4]])('%i + %i', (a, b, c) => expect(sum(a, b)).toEqual(c));
    test('mocks', () => {
        const fn = jest.fn((x) => x * 2);
        expect([1, 2].map((x) => fn(x))).toEqual([2, 4]);
        expect(fn).toHaveBeenCalledTimes(2);
        expect(require('node:os').platform()).toBe('mocked');
    });
    test('timers', () => {
        jest.useFakeTimers();
        const fn = jest.fn();
        setTimeout(fn, 1000);
        jest.advanceTimersByTime(1000);
        expect(fn).toHaveBeenCalled();
        jest.useRealTimers();
    });
    test('async', async () => { await expect(Promise.reject(Error('no'))).rejects.toThrow('no'); });
    test('snapshot', () => expect({ a: [1, new Map([[1, 2]])] }).toMatchInlineSnapshot(\`
{
  "a": [
    1,
    Map {
      1 => 2,
    },
  ],
}
\`));
});\n`,
});
run(cwd, 'jest', '--runInBand', '--no-cache', '--coverage=false');
