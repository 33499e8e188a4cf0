// SPDX-License-Identifier: MIT
// stack -- make an error's stack start with its message, followed by where it
// was created, as in Node.  This code sees every error, even those of a program
// that has replaced builtins, so it uses the engine's own.
'use strict';

const { apply } = Reflect;
const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
const own = (method) => (object, ...args) => apply(method, object, args);
const framesOf = own(getOwnPropertyDescriptor(Error.prototype, 'stack').get);
const toString = own(Error.prototype.toString);
const exec = own(RegExp.prototype.exec);
const slice = own(String.prototype.slice);
const indexOf = own(String.prototype.indexOf);
const startsWith = own(String.prototype.startsWith);
const endsWith = own(String.prototype.endsWith);
const { captureStackTrace: capture } = Error;
const MOST = 100; // of a prototype chain: a proxy's may be infinite

function headOf(error) {
    try {
        return toString(error);
    } catch {
        return 'Error';
    }
}

function classesOf(error) {
    const names = { __proto__: null };
    let made = error.constructor;
    for (let i = 0; i < MOST && typeof made === 'function' && made !== Error; i++) {
        names[made.name] = true;
        made = getPrototypeOf(made);
    }
    return names;
}

// Remove the constructors of the error's class, as V8 does: they are not where
// it was created.
function withoutConstructors(error, frames) {
    const names = classesOf(error), last = error.constructor?.name;
    let rest = frames, name;
    do {
        name = exec(/^ {4}at (\S+) \(/, rest)?.[1];
        if (name === undefined || !(name in names))
            break;
        const end = indexOf(rest, '\n');
        rest = end < 0 ? '' : slice(rest, end + 1);
    } while (name !== last);
    return rest;
}

// Leave what Error.prepareStackTrace returned unchanged.
function headed(error, frames) {
    const text = endsWith(frames, '\n') ? slice(frames, 0, -1) : frames;
    return text === '' ? headOf(error)
        : startsWith(text, '    at ') ? `${headOf(error)}\n${text}` : text;
}

defineProperty(Error.prototype, 'stack', {
    configurable: true,
    get: { stack() {
        let frames, error = Object(this), i = 0;
        do // an object that inherits from an error inherits its stack
            frames = framesOf(error);
        while (frames === undefined && i++ < MOST && (error = getPrototypeOf(error)));
        if (typeof frames !== 'string')
            return frames;
        try {
            frames = withoutConstructors(error, frames);
        } catch {} // its `constructor` threw
        return headed(error, frames);
    } }.stack,
    set: { stack(value) {
        defineProperty(this, 'stack', { value, writable: true, configurable: true });
    } }.stack,
});

function captureStackTrace(object, upTo) {
    capture(object, upTo ?? captureStackTrace);
    let { stack: value } = object;
    if (typeof value === 'string') // none if upTo did not call this
        value = headed(object, startsWith(value, '    at captureStackTrace (node:')
            ? '' : value);
    defineProperty(object, 'stack', { value, writable: true, configurable: true });
}
defineProperty(Error, 'captureStackTrace',
    { value: captureStackTrace, writable: true, configurable: true });
