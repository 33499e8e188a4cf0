// SPDX-License-Identifier: MIT
// net/arguments -- the overloads of connect and listen.
'use strict';

const kNormalized = Symbol('normalized');

function toNumber(value) {
    const number = Number(value);
    return number >= 0 ? number : false;
}

const isPipeName = (value) => typeof value === 'string' && toNumber(value) === false;

// (options, ..., callback), (path, ..., callback), (port, host, ..., callback) ->
// [options, callback or null]
function normalize(args) {
    let options = {};
    const [first] = args, last = args[args.length - 1];
    if (typeof first === 'object' && first !== null) {
        options = first;
    } else if (isPipeName(first)) {
        options.path = first;
    } else if (args.length > 0) {
        options.port = first;
        if (typeof args[1] === 'string')
            options.host = args[1];
    }
    const normalized = [options, typeof last === 'function' ? last : null];
    normalized[kNormalized] = true;
    return normalized;
}

module.exports = { kNormalized, normalize, toNumber, isPipeName };
