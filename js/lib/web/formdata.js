// SPDX-License-Identifier: MIT
// formdata -- FormData of the XMLHttpRequest Standard.  web/multipart has its form
// as bytes.
'use strict';

const { isObject } = require('web/base');
const { plainly } = require('core/errors');
const { custom } = require('util/kinds');
const { hooks: blobs } = require('web/blob');

const text = (value) => `${value}`.toWellFormed();

function check(name, count, wanted) {
    if (count < wanted)
        throw new TypeError(`FormData.${name}: ${wanted} argument${wanted > 1 ? 's' : ''} ` +
            `required, but${count > 0 ? ' only' : ''} ${count} found.`);
}

// A value of an entry: a string or a File.
function valueOf(method, value, filename, hasName) {
    if (!blobs.isBlob(value)) {
        if (hasName)
            throw new TypeError(`Failed to execute '${method}' on 'FormData': parameter 2 ` +
                "is not of type 'Blob'");
        return text(value);
    }
    if (!blobs.isFile(value))
        return blobs.fileFrom(value, hasName ? text(filename) : 'blob');
    return hasName ? blobs.fileFrom(value, text(filename), value.lastModified) : value;
}

let listOf;

class FormData {
    #list = []; // [name, value]
    static {
        listOf = (value) => {
            if (!isObject(value) || !(#list in value))
                throw plainly(TypeError, 'ERR_INVALID_THIS', 'Illegal invocation');
            return value.#list;
        };
    }

    constructor(form = undefined) {
        if (form !== undefined)
            throw new TypeError("FormData constructor: Argument 1 could not be converted " +
                'to: undefined.');
    }

    append(name, value, filename = undefined) {
        const list = listOf(this);
        check('append', arguments.length, 2);
        const entry = [text(name), valueOf('append', value, filename, arguments.length > 2)];
        list.push(entry);
    }

    delete(name) {
        const list = listOf(this);
        check('delete', arguments.length, 1);
        name = text(name);
        this.#list = list.filter((one) => one[0] !== name);
    }

    get(name) {
        const list = listOf(this);
        check('get', arguments.length, 1);
        name = text(name);
        const found = list.find((one) => one[0] === name);
        return found === undefined ? null : found[1];
    }

    getAll(name) {
        const list = listOf(this);
        check('getAll', arguments.length, 1);
        name = text(name);
        return list.filter((one) => one[0] === name).map((one) => one[1]);
    }

    has(name) {
        const list = listOf(this);
        check('has', arguments.length, 1);
        name = text(name);
        return list.some((one) => one[0] === name);
    }

    set(name, value, filename = undefined) {
        listOf(this);
        check('set', arguments.length, 2);
        name = text(name);
        const entry = [name, valueOf('set', value, filename, arguments.length > 2)];
        const at = this.#list.findIndex((one) => one[0] === name);
        if (at < 0) {
            this.#list.push(entry);
            return;
        }
        this.#list = this.#list.filter((one, i) => i <= at || one[0] !== name);
        this.#list[at] = entry;
    }

    entries() { return iterate(this, (one) => [one[0], one[1]]); }
    keys() { return iterate(this, (one) => one[0]); }
    values() { return iterate(this, (one) => one[1]); }

    forEach(callback, thisArg = undefined) {
        listOf(this);
        check('forEach', arguments.length, 1);
        if (typeof callback !== 'function')
            throw new TypeError("Failed to execute 'forEach' on 'FormData': parameter 1 " +
                "is not of type 'Function'.");
        for (let i = 0; i < this.#list.length; i++)
            Reflect.apply(callback, thisArg, [this.#list[i][1], this.#list[i][0], this]);
    }

    [custom](depth, options, inspect = require('util/inspect').inspect) {
        const shown = { __proto__: null };
        for (const [name, value] of listOf(this)) {
            if (!(name in shown))
                shown[name] = value;
            else if (Array.isArray(shown[name]))
                shown[name].push(value);
            else
                shown[name] = [shown[name], value];
        }
        options.depth ??= depth;
        return `FormData ${inspect(shown, options).replace(/^[^{]*/, '')}`;
    }
}

// ---- iterators ----

const walks = new WeakMap(); // iterator -> {form, pick, at}
const IteratorPrototype = Object.getPrototypeOf(
    Object.getPrototypeOf([][Symbol.iterator]()));
const walker = Object.create(IteratorPrototype, {
    [Symbol.toStringTag]: { value: 'FormData Iterator', configurable: true },
    next: { writable: true, enumerable: true, configurable: true,
        value: { next() {
            const walk = walks.get(this);
            if (walk === undefined)
                throw new TypeError("'next' called on an object that does not implement " +
                    'interface FormData Iterator.');
            const list = listOf(walk.form);
            return walk.at < list.length
                ? { value: walk.pick(list[walk.at++]), done: false }
                : { value: undefined, done: true };
        } }.next },
});

function iterate(form, pick) {
    listOf(form);
    const iterator = Object.create(walker);
    walks.set(iterator, { form, pick, at: 0 });
    return iterator;
}

Object.defineProperty(FormData.prototype, Symbol.iterator, {
    value: FormData.prototype.entries, writable: true, configurable: true,
});
for (const key of ['append', 'delete', 'get', 'getAll', 'has', 'set', 'entries', 'keys',
    'values', 'forEach'])
    Object.defineProperty(FormData.prototype, key, { enumerable: true });
Object.defineProperty(FormData.prototype, Symbol.toStringTag,
    { value: 'FormData', configurable: true });

function isFormData(value) {
    try {
        listOf(value);
        return true;
    } catch {
        return false;
    }
}

module.exports = { FormData };
// For bodies: entriesOf(form) -> [name, string or File]
Object.defineProperty(module.exports, 'hooks', { value: {
    isFormData, entriesOf: listOf,
    encode: (form) => require('web/multipart').encode(listOf(form)),
    parse: (bytes, type) => require('web/multipart').parse(bytes, type),
} });
