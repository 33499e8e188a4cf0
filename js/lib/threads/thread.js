// SPDX-License-Identifier: MIT
// thread -- which thread this is, and what its parent passed to it.
'use strict';

const [start = undefined, parentPort = null, threadId = 0] = native.start() ?? [];

const classes = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

// Convert a worker's error to a value that can be cloned for its parent.
function packError(error) {
    const { inspect, isError } = require('util/inspect');
    const structuredClone = require('messages/clone');
    if (typeof error === 'symbol')
        return { symbol: error.description };
    try {
        if (!isError(error))
            return { error: structuredClone(error) };
        const more = {}, hidden = []; // such as the errors of an AggregateError
        for (const key of Object.getOwnPropertyNames(error))
            if (!['message', 'stack', 'cause'].includes(key))
                try {
                    more[key] = structuredClone(error[key]);
                    if (!Object.prototype.propertyIsEnumerable.call(error, key))
                        hidden.push(key);
                } catch {}
        const clone = structuredClone(error), name = String(error.name);
        const kind = classes.findIndex((one) => error instanceof one);
        return { error: clone, more, hidden, kind,
            name: clone.name === name ? undefined : name };
    } catch {
        return { error: inspect(error) };
    }
}

// An error of a class that is unknown here keeps its name.
function unpackError(packed) {
    const { error, more, hidden = [], name, kind = -1 } = packed;
    if ('symbol' in packed)
        return Symbol(packed.symbol);
    if (kind >= 0)
        Object.setPrototypeOf(error, classes[kind].prototype);
    if (name !== undefined && !Object.hasOwn(more, 'name'))
        Object.defineProperty(error, 'name',
            { value: name, writable: true, configurable: true });
    for (const key of Object.keys(more ?? {}))
        Object.defineProperty(error, key, { value: more[key], writable: true,
            configurable: true, enumerable: !hidden.includes(key) });
    return error;
}

module.exports = { isMainThread: start === undefined, threadId, parentPort, start,
    packError, unpackError, newWorker: native.newWorker,
    terminate: native.terminate, ref: native.ref, unref: native.unref,
    variables: native.variables, stackSize: native.stackSize, tell: native.tell };
