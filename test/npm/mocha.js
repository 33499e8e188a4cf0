'use strict';
const { project, run } = require('./helpers/command.cjs');

const cwd = project({
    'test/a.js': `const assert = require('node:assert');
describe('numbers', function () {
    before(() => console.log('before'));
    beforeEach(function () { this.n = 1; });
    it('adds', function () { assert.equal(this.n + 1, 2); });
    it('waits', async () => { await new Promise(setImmediate); });
    it('calls back', (done) => setImmediate(done));
    it('is pending');
    it.skip('is skipped', () => {});
    it('fails', () => {
        const error = new RangeError('too much');
        throw Object.assign(error, { stack: 'RangeError: too much' }); // stacks differ
    });
    it('throws', async () => { throw new TypeError('no'); });
    describe('retried', function () {
        let count = 0;
        it('in the end', function () { this.retries(2); if (++count < 3) throw Error('not yet'); });
    });
    after(() => console.log('after'));
});\n`,
    'test/b.mjs': `import assert from 'node:assert';
it('is a module', () => assert.ok(import.meta.url));\n`,
});
run(cwd, 'mocha', '--reporter', 'dot', 'test/b.mjs');
run(cwd, 'mocha', '--no-diff', '--grep', 'adds|waits|pending|retried|module');
run(cwd, 'mocha', '--reporter', 'tap', 'test/a.js', '--grep', 'calls|fails');
run(cwd, 'mocha', 'none.js');
