// SPDX-License-Identifier: MIT
// class -- the classes of Intl.
'use strict';

const { supported } = require('intl/locale');

// A private field of any object.
function makeField() {
    class Same {
        constructor(object) {
            return object;
        }
    }
    return class Field extends Same {
        #value;
        constructor(object, value) {
            super(object);
            this.#value = value;
        }

        // The value, or undefined if the object has none.
        static of(object) {
            return typeof object === 'object' && object !== null && #value in object
                ? object.#value : undefined;
        }
    };
}

function shown(value) {
    if (typeof value === 'function' || (typeof value === 'object' && value !== null))
        return '#<Object>';
    return typeof value === 'string' ? value : String(value);
}

function hide(target, members) {
    for (const key of Reflect.ownKeys(members))
        Object.defineProperty(target, key,
            { ...Object.getOwnPropertyDescriptor(members, key), enumerable: false });
}

// A class whose objects have the state that create(locales, options) returns.
// Its members get it from stateOf(this, name).  It can be called without `new` if
// isCallable.
function makeClass(name, create, makeMembers, isCallable = false) {
    const Field = makeField();
    const Class = {
        [name]: function (...args) {
            if (new.target === undefined && !isCallable)
                throw new TypeError(`Constructor Intl.${name} requires 'new'`);
            const object = Reflect.construct(Object, [], new.target ?? Class);
            // What a program adds to Object.prototype is no state.
            new Field(object, Object.setPrototypeOf(create(args[0], args[1]), null));
            return object;
        },
    }[name];
    function stateOf(object, member) {
        const state = Field.of(object);
        if (state === undefined)
            throw new TypeError(`Method Intl.${name}.prototype.${member} called on ` +
                `incompatible receiver ${shown(object)}`);
        return state;
    }
    hide(Class, {
        supportedLocalesOf(locales) {
            return supported(locales, arguments[1], name);
        },
    });
    hide(Class.prototype, makeMembers(stateOf));
    Object.defineProperty(Class.prototype, Symbol.toStringTag,
        { value: `Intl.${name}`, configurable: true });
    Object.defineProperty(Class, 'prototype', { writable: false });
    return Class;
}

// The property of a result, unless it is undefined.
function pick(state, keys) {
    const result = {};
    for (const key of keys)
        if (state[key] !== undefined)
            result[key] = state[key];
    return result;
}

module.exports = { makeClass, makeField, hide, pick };
