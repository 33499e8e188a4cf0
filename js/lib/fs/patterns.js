// SPDX-License-Identifier: MIT
// fs/patterns -- patterns of file names, by npm's minimatch, which Node uses too.
'use strict';

const { coded } = require('core/errors');

// A pattern.  Its `set` has an array of parts for each alternative of its braces: strings,
// regular expressions, and GLOBSTAR.
function compile(pattern, platform = 'linux') {
    let bundle;
    try {
        bundle = require('bundle/minimatch');
    } catch {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
            'weir was built without npm\'s minimatch');
    }
    return new bundle.Minimatch(pattern, { platform, windowsPathsNoEscape: true,
        nonegate: true, nocomment: true, optimizationLevel: 2, nocaseMagicOnly: true });
}

const isGlobstar = (part) => part === require('bundle/minimatch').GLOBSTAR;

module.exports = { compile, isGlobstar };
