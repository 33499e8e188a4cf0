// The reporter tap.
// options: --test-reporter=tap
// test report
// exit: 1
'use strict';

require('../support/results.cjs');
