// The reporter junit.
// options: --test-reporter=junit
// test report
// exit: 1
'use strict';

require('../support/results.cjs');
