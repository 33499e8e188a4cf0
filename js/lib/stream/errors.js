// SPDX-License-Identifier: MIT
// stream/errors -- the errors of streams, in the form that readable-stream asks
// for: `new codes.ERR_X(...)`.
'use strict';

const { coded, describeType, invalidArgType, invalidArgValue, outOfRange, unknownEncoding } =
    require('core/errors');

const primitives = new Set(['string', 'function', 'number', 'object', 'Function',
    'Object', 'boolean', 'bigint', 'symbol']);

// "a", "a or b", "a, b, or c"
function either(list) {
    return list.length < 3 ? list.join(' or ')
        : `${list.slice(0, -1).join(', ')}, or ${list.at(-1)}`;
}

// "of type string or an instance of Buffer or Uint8Array"
function expectation(expected) {
    const types = [], instances = [], others = [];
    for (const one of Array.isArray(expected) ? expected : [expected])
        if (primitives.has(one))
            types.push(one.toLowerCase());
        else
            (/^([A-Z][a-z0-9]*)+$/.test(one) ? instances : others).push(one);
    const parts = [];
    if (types.length > 0)
        parts.push(`${types.length > 1 ? 'one of' : 'of'} type ${either(types)}`);
    if (instances.length > 0)
        parts.push(`an instance of ${either(instances)}`);
    if (others.length > 1)
        parts.push(`one of ${either(others)}`);
    else if (others.length === 1)
        parts.push(others[0].toLowerCase() === others[0] ? others[0] : `an ${others[0]}`);
    return parts.join(' or ');
}


// "The "a", "b" and "c" arguments must be specified"
function missing(names) {
    const quoted = names.map((name) => (Array.isArray(name)
        ? name.map((one) => `"${one}"`).join(' or ') : `"${name}"`));
    const list = quoted.length < 3 ? quoted.join(' and ')
        : `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
    return `The ${list} argument${names.length > 1 ? 's' : ''} must be specified`;
}

// Each is called with `new`, and returns the error.
const codes = {
    ERR_ILLEGAL_CONSTRUCTOR: function () {
        return coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    },
    ERR_INVALID_ARG_TYPE: function (name, expected, value) {
        return invalidArgType(name, expectation(expected), value);
    },
    ERR_INVALID_ARG_VALUE: function (name, value, reason) {
        return invalidArgValue(name, value, reason);
    },
    ERR_INVALID_RETURN_VALUE: function (expected, name, value) {
        return coded(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected ${expected} to be ` +
            `returned from the "${name}" function but got ${describeType(value)}.`);
    },
    ERR_MISSING_ARGS: function (...names) {
        return coded(TypeError, 'ERR_MISSING_ARGS', missing(names));
    },
    ERR_OUT_OF_RANGE: function (name, range, value) {
        return outOfRange(name, range, value);
    },
    ERR_UNKNOWN_ENCODING: function (encoding) {
        return unknownEncoding(encoding);
    },
};

function add(code, text) {
    codes[code] = function (name) {
        return coded(Error, code, text.replace('%s', name));
    };
}
add('ERR_METHOD_NOT_IMPLEMENTED', 'The %s method is not implemented');
add('ERR_MULTIPLE_CALLBACK', 'Callback called multiple times');
add('ERR_STREAM_ALREADY_FINISHED', 'Cannot call %s after a stream was finished');
add('ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable');
add('ERR_STREAM_DESTROYED', 'Cannot call %s after a stream was destroyed');
add('ERR_STREAM_PREMATURE_CLOSE', 'Premature close');
add('ERR_STREAM_PUSH_AFTER_EOF', 'stream.push() after EOF');
add('ERR_STREAM_UNSHIFT_AFTER_END_EVENT', 'stream.unshift() after end event');
add('ERR_STREAM_WRITE_AFTER_END', 'write after end');
codes.ERR_STREAM_NULL_VALUES = function () {
    return coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
};

class AbortError extends Error {
    constructor(message = 'The operation was aborted', options = undefined) {
        if (options !== undefined && typeof options !== 'object')
            throw invalidArgType('options', 'of type object', options);
        super(message, options);
        this.code = 'ABORT_ERR';
        this.name = 'AbortError';
    }
}

// An error that came while another one was being handled.
function aggregateTwoErrors(inner, outer) {
    if (!inner || !outer || inner === outer)
        return inner || outer;
    if (Array.isArray(outer.errors)) {
        outer.errors.push(inner);
        return outer;
    }
    const error = new AggregateError([outer, inner], outer.message);
    error.code = outer.code;
    return error;
}

module.exports = { AbortError, aggregateTwoErrors, codes, expectation,
    hideStackFrames: (fn) => fn };
