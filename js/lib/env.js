// SPDX-License-Identifier: MIT
// env -- process.env: the variables of the process itself, or a worker's own.
'use strict';

const { start } = require('thread');

// "A=1\0B=2\0"; the first of a name counts, as for getenv.
function parse(text) {
    const map = new Map();
    for (const one of text.split('\0')) {
        const at = one.indexOf('='), key = one.slice(0, at);
        if (at > 0 && !map.has(key))
            map.set(key, one.slice(at + 1));
    }
    return map;
}

// A worker's own variables: nobody else sees what it does to them.
function variables(given) {
    const map = typeof given === 'string' ? parse(given)
        : new Map(Object.entries(given));
    return {
        getenv: (key) => map.get(key),
        setenv(key, value) {
            if (value === undefined)
                map.delete(key);
            else
                map.set(key, value);
        },
        envKeys: () => [...map.keys()],
    };
}

const { getenv, setenv, envKeys } = start?.env === undefined ? native
    : variables(start.env);

const env = new Proxy({}, {
    get: (_, key) => typeof key === 'string' ? getenv(key) : undefined,
    has: (_, key) => typeof key === 'string' && getenv(key) !== undefined,
    set(_, key, value) {
        if (typeof key === 'symbol')
            throw new TypeError('Cannot convert a Symbol value to a string');
        setenv(key, `${value}`);
        return true;
    },
    defineProperty(_, key, { value }) {
        setenv(key, `${value}`);
        return true;
    },
    deleteProperty(_, key) {
        if (typeof key === 'string')
            setenv(key, undefined);
        return true;
    },
    ownKeys: () => envKeys(),
    getOwnPropertyDescriptor(_, key) {
        const value = typeof key === 'string' ? getenv(key) : undefined;
        return value === undefined ? undefined
            : { value, writable: true, enumerable: true, configurable: true };
    },
});

// What a worker begins with; not through the proxy, which takes four calls for
// each.
const copy = () => Object.fromEntries(envKeys().map((key) => [key, getenv(key)]));

module.exports = { env, copy };
