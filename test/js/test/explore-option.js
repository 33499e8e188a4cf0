// The option `explore` is checked; in the explorer itself the test just runs.
'use strict';

// weir only
// test report
const { test } = require('node:test');

for (const explore of [1, 'all', null, { preemptions: -1 }, { preemptions: 'two' },
    { other: 1 }, { exhaustive: 1 }, { replay: 5 }, { seconds: 0 }])
    try {
        test('refused', { explore }, () => {});
        console.log('accepted');
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
test('explore: false', { explore: false }, () => console.log('runs here'));
test.skip('skipped', { explore: true }, () => console.log('never'));
