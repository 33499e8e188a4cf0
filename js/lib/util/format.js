// SPDX-License-Identifier: MIT
// format -- util.format: "%s" and the other directives.
'use strict';

const { inspect, isProxy, proxyTarget } = require('util/inspect');
const { formatPrimitive, plain } = require('util/text');

const { hasOwnProperty } = Object.prototype;

function hasOwnToString(value) {
    while (isProxy(value)) {
        value = proxyTarget(value);
        if (value === null)
            return true;
    }
    if (typeof value.toString !== 'function')
        return true;
    if (hasOwnProperty.call(value, 'toString'))
        return false;
    let at = value;
    do
        at = Object.getPrototypeOf(at);
    while (!hasOwnProperty.call(at, 'toString'));
    const found = Object.getOwnPropertyDescriptor(at, 'constructor');
    return found !== undefined && typeof found.value === 'function' &&
        builtins.has(found.value.name);
}

const builtins = new Set(Object.getOwnPropertyNames(globalThis)
    .filter((name) => /^[A-Z][a-zA-Z0-9]+$/.test(name)));

function shown(spec, value, options) {
    const separate = Boolean(options?.numericSeparator);
    const number = (one) => formatPrimitive(
        { stylize: plain, numericSeparator: separate }, one);
    switch (spec) {
    case 's':
        if (typeof value === 'number' || typeof value === 'bigint')
            return number(value);
        if (typeof value !== 'object' || value === null ||
            !hasOwnToString(value))
            return String(value);
        return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
    case 'j':
        try {
            return JSON.stringify(value);
        } catch (error) {
            if (/circular/.test(error.message))
                return '[Circular]';
            throw error;
        }
    case 'd':
        return typeof value === 'bigint' ? number(value)
            : typeof value === 'symbol' ? 'NaN' : number(Number(value));
    case 'i':
        return typeof value === 'bigint' ? number(value)
            : typeof value === 'symbol' ? 'NaN' : number(parseInt(value));
    case 'f':
        return typeof value === 'symbol' ? 'NaN' : number(parseFloat(value));
    case 'O':
        return inspect(value, options);
    case 'o':
        return inspect(value, { ...options, showHidden: true, showProxy: true,
            depth: 4 });
    default: // 'c'
        return '';
    }
}

function formatWithOptions(options, ...args) {
    let text = '', next = 0;
    if (args.length === 1)
        return typeof args[0] === 'string' ? args[0] : inspect(args[0], options);
    if (typeof args[0] === 'string') {
        next = 1;
        text = args[0].replace(/%([sjdifoOc%])/g, (whole, spec) => {
            if (spec === '%')
                return '%';
            return next < args.length ? shown(spec, args[next++], options) : whole;
        });
        if (next < args.length)
            text += ' ';
    }
    const rest = args.slice(next).map((value) =>
        typeof value === 'string' ? value : inspect(value, options));
    return text + rest.join(' ');
}

module.exports = {
    formatWithOptions,
    format: (...args) => formatWithOptions(undefined, ...args),
};
