// SPDX-License-Identifier: MIT
// core/context -- the value that follows a program from a call to what it causes
// (js/core/context.h).
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

// A function that calls fn with the value of now.
function bind(fn) {
    const captured = context();
    return function (...args) { return callWith(captured, fn, this, args); };
}

module.exports = { context, setContext, callWith, bind, isAvailable: hasContext === 1 };
