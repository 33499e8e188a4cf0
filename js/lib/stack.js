// SPDX-License-Identifier: MIT
// stack -- an error's stack begins with what the error says, and then with where
// it was made, as in Node.
'use strict';

const { get: framesOf } = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
const { captureStackTrace: capture } = Error;
const { toString } = Error.prototype;
const MOST = 100; // prototypes above each other: a proxy's may have no end

function headOf(error) {
    try {
        return Reflect.apply(toString, error, []);
    } catch {
        return 'Error';
    }
}

function classesOf(error) {
    const names = new Set();
    let made = error.constructor;
    for (let i = 0; i < MOST && typeof made === 'function' && made !== Error; i++) {
        names.add(made.name);
        made = Object.getPrototypeOf(made);
    }
    return names;
}

// The constructors of an error's class are not where it was made: V8 leaves
// them out, up to that of the class itself.
function withoutConstructors(error, frames) {
    const names = classesOf(error), [own] = names, lines = frames.split('\n');
    let count = 0, name;
    do
        name = /^ {4}at (\S+) \(/.exec(lines[count])?.[1];
    while (name !== undefined && names.has(name) && (count++, name !== own));
    return lines.slice(count).join('\n');
}

// What Error.prepareStackTrace made of the frames stays as it is.
function headed(error, frames) {
    const text = frames.endsWith('\n') ? frames.slice(0, -1) : frames;
    return text === '' ? headOf(error)
        : text.startsWith('    at ') ? `${headOf(error)}\n${text}` : text;
}

Object.defineProperty(Error.prototype, 'stack', {
    configurable: true,
    get: { stack() {
        let frames, error = Object(this), i = 0;
        do // one that inherits from an error inherits its stack
            frames = Reflect.apply(framesOf, error, []);
        while (frames === undefined && i++ < MOST &&
            (error = Object.getPrototypeOf(error)));
        if (typeof frames !== 'string')
            return frames;
        try {
            frames = withoutConstructors(error, frames);
        } catch {} // its `constructor` threw
        return headed(error, frames);
    } }.stack,
    set: { stack(value) {
        Object.defineProperty(this, 'stack',
            { value, writable: true, configurable: true });
    } }.stack,
});

function captureStackTrace(object, upTo) {
    capture(object, upTo ?? captureStackTrace);
    let { stack: value } = object;
    if (typeof value === 'string') // none, where upTo did not call this
        value = headed(object, value.startsWith('    at captureStackTrace (node:')
            ? '' : value);
    Object.defineProperty(object, 'stack',
        { value, writable: true, configurable: true });
}
Object.defineProperty(Error, 'captureStackTrace',
    { value: captureStackTrace, writable: true, configurable: true });
