// SPDX-License-Identifier: MIT
// core/context -- the async context, which asynchronous work inherits from the
// code that starts it (js/core/context.h).
'use strict';

const { context, setContext, hasContext } = native;
const { apply } = Reflect;

// Call fn with a value that context() has returned before.
function callWith(captured, fn, self, args) {
    const before = setContext(captured);
    try {
        return apply(fn, self, args);
    } finally {
        setContext(before);
    }
}

// A function that calls fn with the current value.
function bind(fn) {
    const captured = context();
    return function (...args) { return callWith(captured, fn, this, args); };
}

module.exports = { context, setContext, callWith, bind, isAvailable: hasContext === 1 };
