// The reporter dot.
// options: --test-reporter=dot
// test report
// exit: 1
'use strict';

require('../support/results.cjs');
