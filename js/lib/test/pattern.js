// SPDX-License-Identifier: MIT
// pattern -- --test-name-pattern: a text, or a regular expression with slashes
// and flags.
'use strict';

const { invalidArgValue } = require('core/errors');

function parse(text) {
    const match = /^\/(.*)\/([a-z]*)$/.exec(text);
    try {
        return match !== null ? new RegExp(match[1], match[2]) : new RegExp(text);
    } catch (error) {
        throw invalidArgValue('pattern', text,
            `is an invalid regular expression. ${error.message}`);
    }
}

// Names from the outermost suite to the test.
function namesOf(test) {
    const names = [];
    for (let at = test; at.parent !== null; at = at.parent)
        names.unshift(at.name);
    return names;
}

// The name of the test, or of a test or suite around it.
function matches(pattern, test) {
    return namesOf(test).some((name) => {
        pattern.lastIndex = 0;
        return pattern.test(name);
    });
}

module.exports = { parse, matches };
