// SPDX-License-Identifier: MIT
// scope -- navigator and reportError, which the web has in its global object.
'use strict';

const { illegalConstructor, later, reveal, wrongThis } = require('web/base');
const { coded } = require('core/errors');

const kInternal = Symbol('internal');
const languages = Object.freeze(['en-US']); // there is no Intl

class Navigator {
    #isOne = true;

    constructor(key = undefined) {
        if (key !== kInternal)
            throw illegalConstructor();
    }

    static check(value) {
        if (typeof value !== 'object' || value === null || !(#isOne in value))
            throw wrongThis('Navigator');
    }

    get hardwareConcurrency() {
        check(this);
        return require('system/os').availableParallelism();
    }
    get language() {
        check(this);
        return languages[0];
    }
    get languages() {
        check(this);
        return languages;
    }
    get platform() {
        check(this);
        return require('program/process').platform;
    }
    // What fetch() sends as User-Agent, as ECMA-429 and the HTML Standard say.
    get userAgent() {
        check(this);
        return 'weir';
    }
}
const { check } = Navigator;
delete Navigator.check;
reveal(Navigator, 'hardwareConcurrency', 'language', 'languages', 'platform', 'userAgent');

// Report a value as if nothing had caught it.  Without a listener that ends the
// program, after the current job.
function reportError(error) {
    if (arguments.length === 0)
        throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "error" argument must be specified');
    const process = require('program/process');
    if (process.listenerCount('uncaughtException') > 0)
        require('core/hooks').onUncaught(error);
    else
        later(() => { throw error; });
}

module.exports = { Navigator, navigator: new Navigator(kInternal), reportError };
