// SPDX-License-Identifier: MIT
// options -- the options of Intl's functions, read as ECMA-402 does.
'use strict';

// Options that may be anything but null.
function coerce(options, service) {
    if (options === undefined)
        return Object.create(null);
    if (options === null)
        throw new TypeError(service.includes('Date') && !service.includes('supported')
            ? 'Cannot convert undefined or null to object'
            : `${service} called on null or undefined`);
    return Object(options);
}

// Options that are an object, if they are given.
function demand(options) {
    if (options === undefined)
        return Object.create(null);
    if (options === null || (typeof options !== 'object' && typeof options !== 'function'))
        throw new TypeError('invalid_argument');
    return options;
}

function choose(options, name, values, fallback, service) {
    const value = options[name];
    if (value === undefined)
        return fallback;
    const text = `${value}`;
    if (!values.includes(text))
        throw new RangeError(
            `Value ${typeof value === 'object' && value !== null ? '#<Object>' : text} out of ` +
            `range for ${service} options property ${name}`);
    return text;
}

function flag(options, name, fallback) {
    const value = options[name];
    return value === undefined ? fallback : Boolean(value);
}

// A number that was read.
function inRange(value, name, least, most, fallback) {
    if (value === undefined)
        return fallback;
    const number = Number(value);
    if (!(number >= least && number <= most)) // NaN
        throw new RangeError(`${name} value is out of range.`);
    return Math.floor(number);
}

function count(options, name, least, most, fallback) {
    return inRange(options[name], name, least, most, fallback);
}

// A type of an extension, such as the name of a calendar.
function type(options, name) {
    const value = options[name];
    if (value === undefined)
        return undefined;
    const text = `${value}`;
    if (!/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(text))
        throw new RangeError(`Invalid ${name} : ${text}`);
    return text.toLowerCase();
}

function matcher(options, service) {
    return choose(options, 'localeMatcher', ['lookup', 'best fit'], 'best fit', service);
}

module.exports = { coerce, demand, choose, flag, inRange, count, type, matcher };
