// SPDX-License-Identifier: MIT
// thread -- which thread this is, and what its parent has given it.
'use strict';

const [start = undefined, parentPort = null, threadId = 0] = native.start() ?? [];

// What a worker's error is for its parent: a value that can be cloned.
function packError(error) {
    const { inspect, isError } = require('inspect');
    const structuredClone = require('clone');
    try {
        if (!isError(error))
            return { error: structuredClone(error) };
        const more = {};
        for (const key of Object.keys(error))
            if (!['name', 'message', 'stack', 'cause'].includes(key))
                try {
                    more[key] = structuredClone(error[key]);
                } catch {}
        return { error: structuredClone(error), more };
    } catch {
        return { error: inspect(error) };
    }
}

function unpackError({ error, more }) {
    return more === undefined ? error : Object.assign(error, more);
}

module.exports = { isMainThread: start === undefined, threadId, parentPort, start,
    packError, unpackError, newWorker: native.newWorker,
    terminate: native.terminate, ref: native.ref, unref: native.unref };
