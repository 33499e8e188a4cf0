// SPDX-License-Identifier: MIT
// assert -- Node's assert, loose and strict.
'use strict';

const { checkObject, coded, describeType, invalidArgType, invalidArgValue } =
    require('core/errors');
const { inspect, isError, classOf } = require('util/inspect');
const { isDeepEqual, isDeepStrictEqual } = require('util/deepequal');
const { message: messageOf } = require('assert/difference');

const isRegExp = (value) => typeof value === 'object' && value !== null &&
    classOf(value) === 'RegExp';
const matches = (regexp, text) => RegExp.prototype.exec.call(regexp, text) !== null;

// ---- the error ----

// Show an error without its stack.
function withoutStack(error) {
    const copy = Object.setPrototypeOf(new Error(error.message),
        Object.getPrototypeOf(error));
    Object.defineProperty(Object.assign(copy, error), 'stack',
        { value: Error.prototype.toString.call(error), writable: true,
            configurable: true });
    return copy;
}

function shortString(value) {
    if (typeof value !== 'string')
        return value;
    const lines = value.split('\n', 11);
    if (lines.length > 10)
        return `${lines.slice(0, 10).join('\n')}\n...`;
    return value.length > 512 ? `${value.slice(0, 512)}...` : value;
}

function framesBelow(fn) {
    const place = {};
    Error.captureStackTrace(place, fn);
    return String(place.stack).slice('Error\n'.length);
}

class AssertionError extends Error {
    constructor(options) {
        checkObject(options, 'options');
        const { message, operator, stackStartFn, stackStartFunction } = options;
        const { actual, expected } = options;
        const areErrors = isError(actual) && isError(expected);
        super(message == null && areErrors
            ? messageOf(withoutStack(actual), withoutStack(expected), operator)
            : messageOf(actual, expected, operator, message));
        Object.defineProperty(this, 'name', { value: 'AssertionError',
            writable: true, configurable: true });
        Object.assign(this, { generatedMessage: !message, code: 'ERR_ASSERTION',
            actual, expected, operator });
        const frames = framesBelow(stackStartFn || stackStartFunction);
        Object.defineProperty(this, 'stack', { writable: true, configurable: true,
            value: `AssertionError [ERR_ASSERTION]: ${this.message}` +
                (frames === '' ? '' : `\n${frames}`) });
    }

    toString() { return `${this.name} [${this.code}]: ${this.message}`; }

    [inspect.custom](depth, options) {
        const { actual, expected } = this;
        this.actual = shortString(actual);
        this.expected = shortString(expected);
        const text = inspect(this, { ...options, customInspect: false, depth: 0 });
        Object.assign(this, { actual, expected });
        return text;
    }
}

function fails(options, isGenerated) {
    if (isError(options.message))
        throw options.message;
    const error = new AssertionError(options);
    if (isGenerated !== undefined)
        error.generatedMessage = isGenerated;
    throw error;
}

// ---- truth ----

function check(fn, args) {
    const [value, message] = args;
    if (value)
        return;
    const given = { actual: value, expected: true, operator: '==', stackStartFn: fn };
    if (args.length === 0)
        fails({ ...given, message: 'No value argument passed to `assert.ok()`' }, true);
    if (message != null)
        fails({ ...given, message }, false);
    const call = require('assert/source').callOf(framesBelow(fn));
    fails({ ...given, message: call === undefined ? undefined
        : `The expression evaluated to a falsy value:\n\n  ${call}\n` }, true);
}

function ok(...args) { check(ok, args); }
const assert = ok;

assert.fail = function fail(actual, expected, message, operator, stackStartFn) {
    const count = arguments.length, isBare = actual == null && count <= 1;
    if (isBare) {
        message = 'Failed';
    } else if (count === 1) {
        message = actual;
        actual = undefined;
    } else {
        require('program/process').emitWarning('assert.fail() with more than one argument ' +
            'is deprecated. Please use assert.strictEqual() instead or only pass ' +
            'a message.', 'DeprecationWarning', 'DEP0094');
        if (count === 2)
            operator = '!=';
    }
    fails({ actual, expected, message, operator: operator ?? 'fail',
        stackStartFn: stackStartFn || fail }, isBare ? true : undefined);
};
assert.AssertionError = AssertionError;
assert.ok = ok;

// ---- equality ----

/* eslint-disable eqeqeq */
for (const [name, operator, test] of [
    ['equal', '==', (a, b) => a == b || (a !== a && b !== b)],
    ['notEqual', '!=', (a, b) => !(a == b || (a !== a && b !== b))],
    ['deepEqual', 'deepEqual', isDeepEqual],
    ['notDeepEqual', 'notDeepEqual', (a, b) => !isDeepEqual(a, b)],
    ['deepStrictEqual', 'deepStrictEqual', isDeepStrictEqual],
    ['notDeepStrictEqual', 'notDeepStrictEqual', (a, b) => !isDeepStrictEqual(a, b)],
    ['strictEqual', 'strictEqual', Object.is],
    ['notStrictEqual', 'notStrictEqual', (a, b) => !Object.is(a, b)],
]) {
    assert[name] = { [name](actual, expected, message) {
        if (arguments.length < 2)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "actual" and "expected" arguments must be specified');
        if (!test(actual, expected))
            fails({ actual, expected, message, operator,
                stackStartFn: assert[name] });
    } }[name];
}

// ---- exceptions ----

const nothing = Symbol('nothing was thrown');

class Comparison {
    constructor(value, keys, actual) {
        for (const key of keys)
            if (key in value)
                this[key] = actual !== undefined && typeof actual[key] === 'string' &&
                    isRegExp(value[key]) && matches(value[key], actual[key])
                    ? actual[key] : value[key];
    }
}

// Report the failure as that of another comparison.
function failsAs(shown, real) {
    const error = new AssertionError({ ...shown, operator: 'deepStrictEqual',
        stackStartFn: real.stackStartFn });
    Object.assign(error, { actual: real.actual, expected: real.expected,
        operator: real.operator });
    throw error;
}

function checkProperties(actual, expected, message, fn) {
    const real = { actual, expected, operator: fn.name, stackStartFn: fn };
    if (typeof actual !== 'object' || actual === null)
        failsAs({ actual, expected, message }, real);
    const keys = Object.keys(expected);
    if (expected instanceof Error)
        keys.push('name', 'message');
    else if (keys.length === 0)
        throw invalidArgValue('error', expected, 'may not be an empty object');
    for (const key of keys) {
        if (typeof actual[key] === 'string' && isRegExp(expected[key]) &&
            matches(expected[key], actual[key]))
            continue;
        if (key in actual && isDeepStrictEqual(actual[key], expected[key]))
            continue;
        if (message)
            fails({ ...real, message });
        failsAs({ actual: new Comparison(actual, keys),
            expected: new Comparison(expected, keys, actual) }, real);
    }
}

// The reason the error is not the expected one; undefined if it is.
function mismatch(actual, expected) {
    if (isRegExp(expected)) {
        const text = String(actual);
        return matches(expected, text) ? undefined : 'The input did not match the ' +
            `regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`;
    }
    if (expected.prototype !== undefined && actual instanceof expected)
        return undefined;
    if (Object.prototype.isPrototypeOf.call(Error, expected))
        return `The error is expected to be an instance of "${expected.name}". ` +
            `Received ${isError(actual) ? `"${actual.name}"\n\nError message:\n\n` +
                actual.message : `"${inspect(actual, { depth: -1 })}"`}`;
    const result = Reflect.apply(expected, {}, [actual]);
    if (result === true)
        return undefined;
    return `The ${expected.name ? `"${expected.name}" ` : ''}validation function is ` +
        `expected to return "true". Received ${inspect(result)}` +
        (isError(actual) ? `\n\nCaught error:\n\n${actual}` : '');
}

function checkError(actual, expected, message, fn) {
    if (typeof expected !== 'function' && !isRegExp(expected)) {
        checkProperties(actual, expected, message, fn);
        return;
    }
    const why = mismatch(actual, expected);
    if (why !== undefined)
        fails({ actual, expected, message: message || why, operator: fn.name,
            stackStartFn: fn }, !message);
}

function ambiguous(text) {
    return coded(TypeError, 'ERR_AMBIGUOUS_ARGUMENT',
        `The "error/message" argument is ambiguous. ${text}`);
}

function badExpectation(value) {
    return invalidArgType('error', 'of type function or an instance of Error, ' +
        'RegExp, or Object', value);
}

function expectsError(fn, actual, args) {
    let [error, message] = args;
    if (typeof error === 'string') {
        if (args.length === 2)
            throw badExpectation(error);
        if (typeof actual === 'object' && actual !== null) {
            if (actual.message === error)
                throw ambiguous(`The error message "${error}" is identical to the message.`);
        } else if (actual === error) {
            throw ambiguous(`The error "${actual}" is identical to the message.`);
        }
        message = error;
        error = undefined;
    } else if (error != null && typeof error !== 'object' &&
        typeof error !== 'function') {
        throw badExpectation(error);
    }
    if (actual === nothing)
        fails({ actual: undefined, expected: error, operator: fn.name,
            stackStartFn: fn, message: 'Missing expected ' +
                `${fn === assert.rejects ? 'rejection' : 'exception'}` +
                `${error?.name ? ` (${error.name})` : ''}` +
                `${message ? `: ${message}` : '.'}` });
    if (error)
        checkError(actual, error, message, fn);
}

function isUnwanted(actual, expected) {
    if (typeof expected === 'function')
        return (expected.prototype !== undefined && actual instanceof expected) ||
            (!Object.prototype.isPrototypeOf.call(Error, expected) &&
                Reflect.apply(expected, {}, [actual]) === true);
    if (isRegExp(expected))
        return matches(expected, String(actual));
    throw invalidArgType('expected',
        'of type function or an instance of RegExp', expected);
}

function expectsNoError(fn, actual, [error, message]) {
    if (actual === nothing)
        return;
    if (typeof error === 'string') {
        message = error;
        error = undefined;
    }
    if (!error || isUnwanted(actual, error))
        fails({ actual, expected: error, operator: fn.name, stackStartFn: fn,
            message: `Got unwanted ${fn === assert.doesNotReject ? 'rejection'
                : 'exception'}${message ? `: ${message}` : '.'}\n` +
                `Actual message: "${actual?.message}"` });
    throw actual;
}

function thrownBy(fn) {
    if (typeof fn !== 'function')
        throw invalidArgType('fn', 'of type function', fn);
    try {
        fn();
    } catch (error) {
        return error;
    }
    return nothing;
}

const isPromise = (value) => (typeof value === 'object' && value !== null &&
    classOf(value) === 'Promise') || (value !== null && typeof value === 'object' &&
        typeof value.then === 'function' && typeof value.catch === 'function');

async function rejectionOf(promiseFn) {
    let promise = promiseFn;
    if (typeof promiseFn === 'function') {
        promise = promiseFn();
        if (!isPromise(promise))
            throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', 'Expected instance ' +
                'of Promise to be returned from the "promiseFn" function but got ' +
                `${describeType(promise)}.`);
    } else if (!isPromise(promiseFn)) {
        throw invalidArgType('promiseFn',
            'of type function or an instance of Promise', promiseFn);
    }
    try {
        await promise;
    } catch (error) {
        return error;
    }
    return nothing;
}

assert.throws = function throws(fn, ...args) {
    expectsError(throws, thrownBy(fn), args);
};
assert.rejects = async function rejects(promiseFn, ...args) {
    expectsError(rejects, await rejectionOf(promiseFn), args);
};
assert.doesNotThrow = function doesNotThrow(fn, ...args) {
    expectsNoError(doesNotThrow, thrownBy(fn), args);
};
assert.doesNotReject = async function doesNotReject(fn, ...args) {
    expectsNoError(doesNotReject, await rejectionOf(fn), args);
};

assert.ifError = function ifError(err) {
    if (err == null)
        return;
    const text = typeof err === 'object' && typeof err.message === 'string'
        ? (err.message === '' && err.constructor ? err.constructor.name : err.message)
        : inspect(err);
    fails({ actual: err, expected: null, operator: 'ifError', stackStartFn: ifError,
        message: `ifError got unwanted exception: ${text}` });
};

// ---- text ----

function checkMatch(string, regexp, message, fn, wanted) {
    if (!isRegExp(regexp))
        throw invalidArgType('regexp', 'an instance of RegExp', regexp);
    if (typeof string === 'string' && matches(regexp, string) === wanted)
        return;
    const why = typeof string !== 'string' ? 'The "string" argument must be of ' +
        `type string. Received type ${typeof string} (${inspect(string)})`
        : `The input ${wanted ? 'did not' : 'was expected to not'} match the regular ` +
            `expression ${inspect(regexp)}. Input:\n\n${inspect(string)}\n`;
    fails({ actual: string, expected: regexp, message: message || why,
        operator: fn.name, stackStartFn: fn }, !message);
}

assert.match = function match(string, regexp, message) {
    checkMatch(string, regexp, message, match, true);
};
assert.doesNotMatch = function doesNotMatch(string, regexp, message) {
    checkMatch(string, regexp, message, doesNotMatch, false);
};

// ---- strict ----

function strict(...args) { check(strict, args); }

assert.strict = Object.assign(strict, assert, {
    equal: assert.strictEqual, notEqual: assert.notStrictEqual,
    deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict.strict = assert.strict;

module.exports = assert;
