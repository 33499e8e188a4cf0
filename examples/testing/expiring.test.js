// weir test examples/testing
'use strict';

const assert = require('node:assert');
const { describe, it, test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { ExpiringMap, enter } = require('./expiring.js');

const HOUR = 3600 * 1000;

if (!isMainThread) {
    enter(workerData);
    return;
}

describe('an expiring map', () => {
    it('keeps an entry for an hour', async (t) => {
        t.virtualTime();
        const map = new ExpiringMap(HOUR);
        map.set('key', 'value');
        await sleep(HOUR - 1);
        assert.strictEqual(map.get('key'), 'value');
        await sleep(2);
        assert.strictEqual(map.get('key'), undefined);
    });

    it('tells which entry has expired', (t) => {
        t.mock.timers.enable();
        const onExpire = t.mock.fn();
        const map = new ExpiringMap(HOUR, onExpire);
        map.set('key', 'value');
        t.mock.timers.tick(HOUR);
        assert.deepStrictEqual(onExpire.mock.calls[0].arguments, ['key']);
    });
});

test('no thread is counted twice', { explore: { preemptions: 2 } }, async () => {
    const view = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(__filename, { workerData: view });
    enter(view);
    await new Promise((resolve) => worker.on('exit', resolve));
    assert.strictEqual(Atomics.load(view, 0), 2);
});
