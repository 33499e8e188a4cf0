// SPDX-License-Identifier: MIT
// absent -- modules of Node that weir does not have.
//
// Many packages load such a module for a feature that few programs use.  So it
// can be loaded, with the names that Node's has, and each of its functions and
// classes throws when it is called.  A program can see that they are absent by
// their property Symbol.for('weir.absent').
'use strict';

const { coded } = require('core/errors');

// The names of functions and classes; what is not a function follows in `others`.
const functions = {
    __proto__: null,
    http2: 'connect createServer createSecureServer getDefaultSettings ' +
        'getPackedSettings getUnpackedSettings performServerHandshake ' +
        'Http2ServerRequest Http2ServerResponse',
};

const others = {
    __proto__: null,
    http2: { constants: {}, sensitiveHeaders: Symbol('nodejs.http2.sensitiveHeaders') },
};

// A function that throws, and that a class can extend.
function absent(module, name) {
    const full = `${module}.${name}`;
    return Object.defineProperties(function () {
        throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED',
            `The ${full} method is not implemented`);
    }, { name: { value: name, configurable: true },
        [Symbol.for('weir.absent')]: { value: true } });
}

exports.addFunctions = (target, module, names) => {
    for (const name of names.split(' '))
        target[name] = absent(module, name);
    return target;
};

// Each module is a property, made when it is first read.
const loaded = { __proto__: null };

for (const module of Object.keys(functions))
    Object.defineProperty(exports, module, {
        get: () => loaded[module] ??= Object.assign(
            exports.addFunctions({}, module, functions[module]), others[module]),
    });
