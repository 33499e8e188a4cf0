// SPDX-License-Identifier: MIT
// base64 -- the engine's atob and btoa, with Node's errors.
'use strict';

const { coded } = require('core/errors');
const { atob: decode, btoa: encode } = require('core/bootstrap');

function refused(text) {
    return new DOMException(text, 'InvalidCharacterError');
}

function given(args) {
    if (args.length === 0)
        throw coded(TypeError, 'ERR_MISSING_ARGS',
            'The "input" argument must be specified');
    return `${args[0]}`;
}

// A single character at the end is an incomplete group.  Every other fault is
// an invalid character.
function whyNot(text) {
    const digits = /^([A-Za-z0-9+/]*)={0,2}$/.exec(text.replace(/[\t\n\f\r ]/g, ''));
    return digits?.[1].length % 4 === 1
        ? 'The string to be decoded is not correctly encoded.' : 'Invalid character';
}

function atob(input) {
    const text = given(arguments);
    try {
        return decode(text);
    } catch {
        throw refused(whyNot(text));
    }
}

function btoa(input) {
    const text = given(arguments);
    try {
        return encode(text);
    } catch {
        throw refused('Invalid character');
    }
}

module.exports = { atob, btoa };
