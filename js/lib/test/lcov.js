// SPDX-License-Identifier: MIT
// lcov -- Node's reporter of coverage, which weir does not measure.
'use strict';

module.exports = function lcov() {
    throw require('core/errors').coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED',
        'The lcov method is not implemented');
};
