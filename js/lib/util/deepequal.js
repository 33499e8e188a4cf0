// SPDX-License-Identifier: MIT
// deepequal -- whether two values are equal, loosely or strictly, in the sense
// of Node's assert.deepEqual and util.isDeepStrictEqual.
'use strict';

const { classOf, isError } = require('util/kinds');

const hooks = require('core/hooks');

const { hasOwnProperty, propertyIsEnumerable, toString } = Object.prototype;
const has = (object, key) => hasOwnProperty.call(object, key);
const isEnumerable = (object, key) => propertyIsEnumerable.call(object, key);
const isObject = (value) => typeof value === 'object' && value !== null;
const mapOf = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;
const setOf = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;

// What is compared in addition to the properties, by the engine's class.
const boxes = { Number, String, Boolean, BigInt, Symbol };

function sameBox(a, b, kind) {
    const { valueOf } = boxes[kind].prototype;
    return Object.is(valueOf.call(a), valueOf.call(b));
}

function bytesOf(value) {
    return ArrayBuffer.isView(value)
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : new Uint8Array(value);
}

function sameBytes(a, b) {
    const x = bytesOf(a), y = bytesOf(b);
    return x.length === y.length && x.every((byte, i) => byte === y[i]);
}

function sameView(a, b, kind, isStrict) {
    if (!isStrict && /^Float/.test(kind))
        return a.length === b.length && a.every((number, i) => number === b[i]);
    return sameBytes(a, b);
}

// Nothing is a URL before that module is loaded.
function isURL(value) {
    return hooks.isURL !== undefined && hooks.isURL(value);
}

// One comparison: its strictness, and the pairs under way, to detect cycles.
class Comparison {
    constructor(isStrict) {
        this.isStrict = isStrict;
        this.seen = new Set();
    }

    equal(a, b) {
        if (a === b)
            return a !== 0 || Object.is(a, b) || !this.isStrict;
        if (this.isStrict) {
            if (typeof a !== 'object')
                return typeof a === 'number' && Number.isNaN(a) && Number.isNaN(b);
            return isObject(a) && isObject(b) &&
                Object.getPrototypeOf(a) === Object.getPrototypeOf(b) &&
                this.objects(a, b);
        }
        if (!isObject(a))
            return !isObject(b) && (a == b || // eslint-disable-line eqeqeq
                (Number.isNaN(a) && Number.isNaN(b)));
        return isObject(b) && this.objects(a, b);
    }

    objects(a, b) {
        if (toString.call(a) !== toString.call(b))
            return false;
        const kind = classOf(a);
        if (Array.isArray(a) || Array.isArray(b))
            return Array.isArray(a) && Array.isArray(b) &&
                a.length === b.length && this.indexed(a, b, true);
        if (kind !== classOf(b) || isError(a) !== isError(b) ||
            a instanceof Error !== b instanceof Error)
            return false;
        if (ArrayBuffer.isView(a) && kind !== 'DataView')
            return sameView(a, b, kind, this.isStrict) && this.indexed(a, b, false);
        return this.content(a, b, kind) && this.keyed(a, b, kind);
    }

    // Compare two objects other than arrays, without their properties.
    content(a, b, kind) {
        switch (kind) {
        case 'Date':
            return Date.prototype.getTime.call(a) === Date.prototype.getTime.call(b);
        case 'RegExp':
            return a.source === b.source && a.flags === b.flags &&
                a.lastIndex === b.lastIndex;
        case 'ArrayBuffer': case 'SharedArrayBuffer': case 'DataView':
            return sameBytes(a, b);
        case 'Map':
            return mapOf.call(a) === mapOf.call(b);
        case 'Set':
            return setOf.call(a) === setOf.call(b);
        case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol':
            return sameBox(a, b, kind);
        }
        if (isURL(a) || isURL(b))
            return isURL(a) && isURL(b) && a.href === b.href;
        if (!(a instanceof Error) && !isError(a))
            return true;
        return a.message === b.message && a.name === b.name &&
            this.hidden(a, b, 'cause') && this.hidden(a, b, 'errors');
    }

    // Compare a property of errors that counts although it is not enumerable.
    hidden(a, b, key) {
        const inA = has(a, key), inB = has(b, key);
        if (inA && isEnumerable(a, key))
            return true;
        return inA === inB && (!inA || this.equal(a[key], b[key]));
    }

    indexed(a, b, isArray) {
        const others = (value) => Reflect.ownKeys(value).filter((key) =>
            (typeof key === 'symbol' ? this.isStrict : !/^(0|[1-9]\d*)$/.test(key)) &&
            isEnumerable(value, key));
        const keys = others(a);
        if (keys.length !== others(b).length ||
            !keys.every((key) => has(b, key)))
            return false;
        return this.guarded(a, b, () => (!isArray || this.elements(a, b)) &&
            keys.every((key) => this.equal(a[key], b[key])));
    }

    elements(a, b) {
        for (let i = 0; i < a.length; i++) {
            if (has(a, i) !== has(b, i))
                return false;
            if (has(a, i) ? !this.equal(a[i], b[i]) : a.length > 1000)
                return has(a, i) ? false : this.sparse(a, b, i);
        }
        return true;
    }

    // Compare from the first hole on: the rest of a long array may be sparse.
    sparse(a, b, from) {
        const rest = (list) => Object.keys(list).filter((key) => key >= from);
        const keys = rest(a);
        return keys.length === rest(b).length && keys.every((key) =>
            has(b, key) && this.equal(a[key], b[key]));
    }

    keyed(a, b, kind) {
        const keys = Object.keys(a);
        if (keys.length !== Object.keys(b).length ||
            !keys.every((key) => has(b, key)))
            return false;
        if (this.isStrict) {
            const symbols = (value) => Object.getOwnPropertySymbols(value)
                .filter((key) => isEnumerable(value, key));
            const more = symbols(a);
            if (more.length !== symbols(b).length ||
                !more.every((key) => isEnumerable(b, key)))
                return false;
            keys.push(...more);
        }
        return this.guarded(a, b, () =>
            (kind !== 'Set' || this.sets(a, b)) &&
            (kind !== 'Map' || this.maps(a, b)) &&
            keys.every((key) => this.equal(a[key], b[key])));
    }

    // Treat two values that are both under way as equal: any difference is
    // found by the comparison that is under way.
    guarded(a, b, compare) {
        const { seen } = this, hasA = seen.has(a), hasB = seen.has(b);
        if (hasA && hasB)
            return true;
        seen.add(a).add(b);
        const result = compare();
        if (!hasA)
            seen.delete(a);
        if (!hasB)
            seen.delete(b);
        return result;
    }

    // Whether each member of one has its own partner in the other.
    matched(left, right, alike) {
        const rest = new Set(right);
        for (const one of left) {
            const found = [...rest].find((other) => alike(one, other));
            if (found === undefined)
                return false;
            rest.delete(found);
        }
        return rest.size === 0;
    }

    // Look up primitive members.  Search for objects and, in a loose
    // comparison, for whatever was not found.
    sets(a, b) {
        const known = (value, set) => !isObject(value) &&
            Set.prototype.has.call(set, value);
        const left = [...Set.prototype.values.call(a)].filter((one) => !known(one, b));
        const right = [...Set.prototype.values.call(b)].filter((one) => !known(one, a));
        if (this.isStrict && !left.every(isObject))
            return false;
        return this.matched(left.map((value) => ({ value })),
            right.map((value) => ({ value })),
            (one, other) => this.equal(one.value, other.value));
    }

    maps(a, b) {
        const known = ([key, value], map) => !isObject(key) &&
            Map.prototype.has.call(map, key) &&
            this.equal(value, Map.prototype.get.call(map, key));
        const left = [...Map.prototype.entries.call(a)].filter((one) => !known(one, b));
        const right = [...Map.prototype.entries.call(b)].filter(([key, value]) =>
            isObject(key) || !Map.prototype.has.call(a, key) ||
            !this.equal(Map.prototype.get.call(a, key), value));
        if (this.isStrict && !left.every(([key]) => isObject(key)))
            return false;
        return this.matched(left, right, (one, other) =>
            this.equal(one[0], other[0]) && this.equal(one[1], other[1]));
    }
}

module.exports = {
    isDeepEqual: (a, b) => new Comparison(false).equal(a, b),
    isDeepStrictEqual: (a, b) => new Comparison(true).equal(a, b),
};
