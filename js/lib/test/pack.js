// SPDX-License-Identifier: MIT
// pack -- values as JSON, between a test file and its runner.
//
// Errors keep their class, stack, cause and properties.  Objects of other classes
// become plain ones, and what does not define its text is shown by inspect.
'use strict';

const { inspect, isError } = require('util/inspect');
const { classOf } = require('util/kinds');

const classes = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError,
    TypeError, URIError };

// A value is itself, or [kind, ...].
function packPrimitive(value) {
    switch (typeof value) {
    case 'undefined':
        return ['undefined'];
    case 'bigint':
        return ['bigint', `${value}`];
    case 'symbol':
        return ['symbol', value.description];
    case 'number':
        return Number.isFinite(value) && !Object.is(value, -0) ? value
            : ['number', Object.is(value, -0) ? '-0' : `${value}`];
    default:
        return value;
    }
}

class Packer {
    #ids = new Map();

    #entries(value, keys) {
        return keys.map((key) => [key, this.pack(value[key])]);
    }

    #error(value) {
        const own = Object.getOwnPropertyNames(value)
            .filter((key) => !['message', 'stack', 'name'].includes(key));
        const hidden = own.filter((key) =>
            !Object.prototype.propertyIsEnumerable.call(value, key));
        const kind = Object.keys(classes).find((name) => value instanceof classes[name]);
        const text = (key) => typeof value[key] === 'string' ? value[key] : null;
        return ['error', kind ?? 'Error', text('name'), text('message'), text('stack'),
            this.#entries(value, own), hidden];
    }

    #object(value) {
        if (isError(value))
            return this.#error(value);
        if (Array.isArray(value))
            return ['array', value.length, this.#entries(value, Object.keys(value))];
        switch (classOf(value)) {
        case 'Object':
            return ['object', Object.getPrototypeOf(value) === null,
                this.#entries(value, Object.keys(value))];
        case 'Map':
            return ['map', [...value].map((pair) => pair.map((one) => this.pack(one)))];
        case 'Set':
            return ['set', [...value].map((one) => this.pack(one))];
        case 'Date':
            return ['date', value.getTime()];
        case 'RegExp':
            return ['regexp', value.source, value.flags];
        default:
            return ['shown', inspect(value)];
        }
    }

    pack(value) {
        if (typeof value === 'function')
            return ['shown', inspect(value)];
        if (value === null || typeof value !== 'object')
            return packPrimitive(value);
        if (this.#ids.has(value))
            return ['again', this.#ids.get(value)];
        const id = this.#ids.size;
        this.#ids.set(value, id);
        try {
            return ['new', id, this.#object(value)];
        } catch { // a getter or a proxy has thrown
            return ['new', id, ['shown', `[${classOf(value)}]`]];
        }
    }
}

class Unpacker {
    #objects = new Map();

    #fill(id, object, entries) {
        this.#objects.set(id, object);
        for (const [key, value] of entries)
            Object.defineProperty(object, key, { value: this.unpack(value),
                writable: true, enumerable: true, configurable: true });
        return object;
    }

    #error(id, [kind, name, message, stack, entries, hidden]) {
        const made = new (classes[kind] ?? Error)(message ?? '');
        Object.defineProperty(made, 'stack', { value: stack ?? undefined, writable: true,
            configurable: true });
        if (name !== null && name !== made.name)
            Object.defineProperty(made, 'name', { value: name, writable: true,
                configurable: true });
        this.#fill(id, made, entries);
        for (const key of hidden)
            Object.defineProperty(made, key, { enumerable: false });
        return made;
    }

    #object(id, [kind, ...parts]) {
        switch (kind) {
        case 'error':
            return this.#error(id, parts);
        case 'array':
            return this.#fill(id, new Array(parts[0]), parts[1]);
        case 'object':
            return this.#fill(id, parts[0] ? { __proto__: null } : {}, parts[1]);
        case 'map': {
            const map = new Map();
            this.#objects.set(id, map);
            for (const [key, value] of parts[0])
                map.set(this.unpack(key), this.unpack(value));
            return map;
        }
        case 'set': {
            const set = new Set();
            this.#objects.set(id, set);
            for (const value of parts[0])
                set.add(this.unpack(value));
            return set;
        }
        default:
            return this.#simple(kind, parts);
        }
    }

    #simple(kind, [first, second]) {
        switch (kind) {
        case 'date':
            return new Date(first);
        case 'regexp':
            return new RegExp(first, second);
        default:
            return { [inspect.custom]: () => first };
        }
    }

    unpack(value) {
        if (!Array.isArray(value))
            return value;
        const [kind, first, second] = value;
        switch (kind) {
        case 'undefined':
            return undefined;
        case 'bigint':
            return BigInt(first);
        case 'symbol':
            return Symbol(first);
        case 'number':
            return Number(first);
        case 'again':
            return this.#objects.get(first);
        case 'shown':
            return this.#simple(kind, [first]);
        default: {
            const object = this.#object(first, second);
            this.#objects.set(first, object);
            return object;
        }
        }
    }
}

module.exports = {
    pack: (value) => JSON.stringify(new Packer().pack(value)),
    unpack: (text) => new Unpacker().unpack(JSON.parse(text)),
};
