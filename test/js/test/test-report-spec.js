// The reporter spec.
// options: --test-reporter=spec
// test report
// exit: 1
'use strict';

require('../support/results.cjs');
