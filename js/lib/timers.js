// SPDX-License-Identifier: MIT
// timers -- Node's timer functions around the Timeout and Immediate of C.
'use strict';

const { invalidArgType } = require('errors');
const { Timeout, Immediate } = native;

// Names of classes, as Node's; nobody can construct one.
function name(proto, ctor) {
    Object.defineProperty(proto, 'constructor',
        { value: ctor, writable: true, configurable: true });
    Object.defineProperty(ctor, 'prototype', { value: proto });
}
name(Timeout, function Timeout() { throw new TypeError('Illegal constructor'); });
name(Immediate,
    function Immediate() { throw new TypeError('Illegal constructor'); });

function method(proto, key, value) {
    Object.defineProperty(proto, key,
        { value, writable: true, configurable: true });
}
method(Timeout, Symbol.toPrimitive, Timeout.toNumber);
delete Timeout.toNumber;
method(Timeout, Symbol.dispose, function () { native.clear(this); });
method(Immediate, Symbol.dispose, function () { native.clearImmediate(this); });

function check(callback) {
    if (typeof callback !== 'function')
        throw invalidArgType('callback', 'of type function', callback);
}

function overflow(ms) {
    if (ms > 2147483647)
        require('process').emitWarning(
            `${ms} does not fit into a 32-bit signed integer.` +
            '\nTimeout duration was set to 1.', 'TimeoutOverflowWarning');
}

function setTimeout(callback, delay, ...args) {
    check(callback);
    delay *= 1;
    overflow(delay);
    return native.start(callback, delay, false, ...args);
}

function setInterval(callback, delay, ...args) {
    check(callback);
    delay *= 1;
    overflow(delay);
    return native.start(callback, delay, true, ...args);
}

function setImmediate(callback, ...args) {
    check(callback);
    return native.immediate(callback, ...args);
}

function clearTimeout(timeout) {
    native.clear(timeout);
}

function clearInterval(timeout) {
    native.clear(timeout);
}

function clearImmediate(immediate) {
    native.clearImmediate(immediate);
}

module.exports = {
    setTimeout, clearTimeout, setInterval, clearInterval,
    setImmediate, clearImmediate,
};
// For process, which is where Node has it.
Object.defineProperty(module.exports, 'nextTick', {
    value: function nextTick(callback, ...args) {
        check(callback);
        native.nextTick(callback, ...args);
    },
});
