// SPDX-License-Identifier: MIT
// errors -- errors with Node's codes and messages.
'use strict';

// "TypeError [CODE]: message" in the stack, "TypeError" as the name.
function coded(Base, code, message) {
    const error = new Base(message);
    Object.defineProperty(error, 'code',
        { value: code, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(error, 'stack', {
        value: error.stack.replace(error.name, `${error.name} [${code}]`),
        writable: true, configurable: true,
    });
    return error;
}

function received(value) {
    if (value == null)
        return ` Received ${value}`;
    if (typeof value === 'function')
        return ` Received function ${value.name}`;
    const { inspect } = require('inspect');
    if (typeof value === 'object')
        return value.constructor?.name
            ? ` Received an instance of ${value.constructor.name}`
            : ` Received ${inspect(value, { depth: -1 })}`;
    let text = inspect(value, { colors: false });
    if (text.length > 28)
        text = `${text.slice(0, 25)}...`;
    return ` Received type ${typeof value} (${text})`;
}

function invalidArgType(name, expected, value) {
    const what = name.endsWith(' argument') ? `The ${name}`
        : `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
    return coded(TypeError, 'ERR_INVALID_ARG_TYPE',
        `${what} must be ${expected}.${received(value)}`);
}

function outOfRange(name, range, value) {
    return coded(RangeError, 'ERR_OUT_OF_RANGE',
        `The value of "${name}" is out of range. It must be ${range}.` +
        ` Received ${require('inspect').inspect(value)}`);
}

module.exports = { coded, invalidArgType, outOfRange };
