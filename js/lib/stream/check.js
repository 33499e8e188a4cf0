// SPDX-License-Identifier: MIT
// stream/check -- the checks of arguments that readable-stream asks for.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');

const of = (type) => (value, name) => {
    if (typeof value !== type)
        throw invalidArgType(name, `of type ${type}`, value);
};

function validateAbortSignal(signal, name) {
    if (signal !== undefined && (signal === null || typeof signal !== 'object' ||
        !('aborted' in signal)))
        throw invalidArgType(name, 'an instance of AbortSignal', signal);
}

function validateArray(value, name) {
    if (!Array.isArray(value))
        throw invalidArgType(name, 'an instance of Array', value);
}

function validateObject(value, name) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
        throw invalidArgType(name, 'of type object', value);
}

function validateInteger(value, name, min = Number.MIN_SAFE_INTEGER,
    max = Number.MAX_SAFE_INTEGER) {
    validateNumber(value, name);
    if (!Number.isInteger(value))
        throw outOfRange(name, 'an integer', value);
    if (value < min || value > max)
        throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

const validateNumber = of('number');

function validateOneOf(value, name, list) {
    if (!list.includes(value))
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${name.includes('.')
            ? 'property' : 'argument'} '${name}' must be one of: ${list.map((one) =>
            typeof one === 'string' ? `'${one}'` : String(one)).join(', ')}. Received ` +
            require('util/inspect').inspect(value));
}

module.exports = { validateAbortSignal, validateArray, validateObject, validateInteger,
    validateNumber, validateOneOf, validateBoolean: of('boolean'),
    validateFunction: of('function'), validateString: of('string') };
