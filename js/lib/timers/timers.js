// SPDX-License-Identifier: MIT
// timers -- Node's timer functions, built on the Timeout and Immediate of C.
'use strict';

const { Timeout, Immediate } = native;

// Name the classes as Node does.  They cannot be constructed.
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
method(Timeout, Symbol.dispose, function () { native.clearTimeout(this); });
method(Immediate, Symbol.dispose, function () { native.clearImmediate(this); });

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate,
    clearImmediate, nextTick } = native;

const functions = { setTimeout, clearTimeout, setInterval, clearInterval,
    setImmediate, clearImmediate };
for (const name of ['setTimeout', 'setImmediate'])
    Object.defineProperty(functions[name],
        Symbol.for('nodejs.util.promisify.custom'), { enumerable: true,
            get: () => require('timers/promises')[name] });

// The module that programs require and may modify, as fake clocks do.
const node = { ...functions };
for (const name of ['active', 'enroll', 'unenroll', '_unrefActive'])
    node[name] = { [name](...args) { return require('timers/enroll')[name](...args); } }[name];
Object.defineProperty(node, 'promises', { configurable: true, enumerable: true,
    get: () => require('timers/promises') });

module.exports = { ...functions, nextTick, node };
