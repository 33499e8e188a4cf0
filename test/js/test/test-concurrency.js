// How many subtests run at once; results are reported in order.
// test report
// exit: 1
'use strict';

const { test, describe, it } = require('node:test');

// Begin and end in turns, without timers.
function makeStage() {
    const log = [], waiting = [];
    let running = 0, most = 0;
    return {
        log,
        act: (name) => async () => {
            log.push(name);
            most = Math.max(most, ++running);
            await new Promise((resolve) => {
                waiting.push(resolve);
                setImmediate(() => waiting.pop()?.()); // the last one first
            });
            running--;
            log.push(`${name}!`);
        },
        show: () => console.log(log.join(' '), 'at most', most),
    };
}

for (const concurrency of [undefined, true, 2, false])
    test(`concurrency ${concurrency}`, { concurrency }, async (t) => {
        const stage = makeStage();
        await Promise.all(['a', 'b', 'c'].map((name) => t.test(name, stage.act(name))));
        stage.show();
    });

const stage = makeStage();
describe('a suite', { concurrency: true }, () => {
    it('a', stage.act('a'));
    it('b', async () => {
        await stage.act('b')();
        throw new Error('b fails');
    });
    it('c', stage.act('c'));
});
test('after the suite', stage.show);
