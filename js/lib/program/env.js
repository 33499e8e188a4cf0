// SPDX-License-Identifier: MIT
// env -- process.env: the environment of the process, or a worker's own copy.
'use strict';

const { coded } = require('core/errors');
const { start } = require('threads/thread');

// "A=1\0B=2\0"; the first entry of a name counts, as for getenv.
function parse(text) {
    const map = new Map();
    for (const one of text.split('\0')) {
        const at = one.indexOf('='), key = one.slice(0, at);
        if (at > 0 && !map.has(key))
            map.set(key, one.slice(at + 1));
    }
    return map;
}

// A worker's own variables, which no other thread sees.
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
        pairs: () => Array.from(map, ([key, value]) => `${key}=${value}`),
    };
}

const own = start?.env === undefined ? undefined : variables(start.env);
const { getenv, setenv, envKeys } = own ?? native;

// "KEY=value" for each variable.
const pairs = own?.pairs ?? native.envPairs;

const named = (key) => typeof key === 'string' ? getenv(key) : undefined;

function assign(key, value) {
    if (typeof key === 'symbol' || typeof value === 'symbol')
        throw new TypeError('Cannot convert a Symbol value to a string');
    setenv(key, `${value}`);
}

function checkDescriptor(descriptor) {
    if ('get' in descriptor || 'set' in descriptor)
        throw coded(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY',
            "'process.env' does not accept an accessor(getter/setter) descriptor");
    if (!('value' in descriptor && descriptor.writable && descriptor.enumerable &&
        descriptor.configurable))
        throw coded(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY',
            "'process.env' only accepts a configurable, writable, and enumerable " +
            'data descriptor');
}

// An ordinary object except for its own properties.
const env = new Proxy({}, {
    get: (target, key) => named(key) ?? target[key],
    has: (target, key) => named(key) !== undefined || key in target,
    set(_, key, value) {
        assign(key, value);
        return true;
    },
    defineProperty(_, key, descriptor) {
        checkDescriptor(descriptor);
        assign(key, descriptor.value);
        return true;
    },
    preventExtensions: () => false,
    deleteProperty(_, key) {
        if (typeof key === 'string')
            setenv(key, undefined);
        return true;
    },
    ownKeys: () => envKeys(),
    getOwnPropertyDescriptor(_, key) {
        const value = named(key);
        return value === undefined ? undefined
            : { value, writable: true, enumerable: true, configurable: true };
    },
});

// The initial environment of a worker.  Bypasses the proxy, which takes four
// calls per variable.
const copy = () => Object.fromEntries(envKeys().map((key) => [key, getenv(key)]));

module.exports = { env, copy, pairs };
