// SPDX-License-Identifier: MIT
// searchparams -- URLSearchParams.
'use strict';

const { parseUrlencodedString, serializeUrlencoded } = require('bundle/whatwg-url');
const { coded, invalidArgType } = require('core/errors');
const { custom } = require('util/kinds');

const text = (value) => `${value}`.toWellFormed();

function check(count, wanted) {
    if (count < wanted)
        throw coded(TypeError, 'ERR_MISSING_ARGS', wanted === 2
            ? 'The "name" and "value" arguments must be specified'
            : 'The "name" argument must be specified');
}

function wrongThis(name) {
    return coded(TypeError, 'ERR_INVALID_THIS',
        `Value of "this" must be of type ${name}`);
}

const isObject = (value) => (typeof value === 'object' && value !== null) ||
    typeof value === 'function';

function pair(value) {
    if (!isObject(value) || typeof value[Symbol.iterator] !== 'function')
        throw coded(TypeError, 'ERR_INVALID_TUPLE',
            'Each query pair must be an iterable [name, value] tuple');
    const both = [...value];
    if (both.length !== 2)
        throw coded(TypeError, 'ERR_INVALID_TUPLE',
            'Each query pair must be an iterable [name, value] tuple');
    return [text(both[0]), text(both[1])];
}

// The pairs [name, value] of the constructor's argument.
function pairsOf(init) {
    if (init == null)
        return [];
    if (!isObject(init)) {
        const query = text(init);
        return parseUrlencodedString(query.startsWith('?') ? query.slice(1) : query);
    }
    const iterator = init[Symbol.iterator];
    if (iterator != null) {
        if (typeof iterator !== 'function')
            throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE',
                'Query pairs must be iterable');
        return Array.from(init, pair);
    }
    const found = new Map(); // keys may become equal when made well-formed
    for (const key of Reflect.ownKeys(init))
        if (Object.getOwnPropertyDescriptor(init, key)?.enumerable)
            found.set(text(key), text(init[key]));
    return [...found];
}

let link, refill, listOf;

class URLSearchParams {
    #list; #changed = null;

    static {
        link = (params, changed) => { params.#changed = changed; };
        refill = (params, query) => {
            params.#list = parseUrlencodedString(query);
        };
        listOf = (params) => {
            if (!isObject(params) || !(#list in params))
                throw wrongThis('URLSearchParams');
            return params.#list;
        };
    }

    constructor(init = undefined) {
        this.#list = pairsOf(init);
    }

    #update() {
        this.#changed?.(serializeUrlencoded(this.#list));
    }

    get size() { return listOf(this).length; }

    append(name, value) {
        const list = listOf(this);
        check(arguments.length, 2);
        list.push([text(name), text(value)]);
        this.#update();
    }

    delete(name, value = undefined) {
        listOf(this);
        check(arguments.length, 1);
        name = text(name);
        if (value !== undefined)
            value = text(value);
        this.#list = this.#list.filter((one) => one[0] !== name ||
            (value !== undefined && one[1] !== value));
        this.#update();
    }

    get(name) {
        const list = listOf(this);
        check(arguments.length, 1);
        name = text(name);
        return list.find((one) => one[0] === name)?.[1] ?? null;
    }

    getAll(name) {
        const list = listOf(this);
        check(arguments.length, 1);
        name = text(name);
        return list.filter((one) => one[0] === name).map((one) => one[1]);
    }

    has(name, value = undefined) {
        const list = listOf(this);
        check(arguments.length, 1);
        name = text(name);
        if (value !== undefined)
            value = text(value);
        return list.some((one) => one[0] === name &&
            (value === undefined || one[1] === value));
    }

    set(name, value) {
        listOf(this);
        check(arguments.length, 2);
        name = text(name);
        value = text(value);
        const first = this.#list.find((one) => one[0] === name);
        if (first === undefined) {
            this.#list.push([name, value]);
        } else {
            first[1] = value;
            this.#list = this.#list.filter((one) =>
                one === first || one[0] !== name);
        }
        this.#update();
    }

    sort() {
        listOf(this).sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);
        this.#update();
    }

    entries() { return iterate(this, (one) => [one[0], one[1]]); }

    forEach(callback, thisArg = undefined) {
        listOf(this);
        if (typeof callback !== 'function')
            throw invalidArgType('callback', 'of type function', callback);
        for (let i = 0; i < this.#list.length; i++)
            Reflect.apply(callback, thisArg,
                [this.#list[i][1], this.#list[i][0], this]);
    }

    keys() { return iterate(this, (one) => one[0]); }
    values() { return iterate(this, (one) => one[1]); }
    toString() { return serializeUrlencoded(listOf(this)); }

    [custom](depth, options, inspect = require('util/inspect').inspect) {
        const list = listOf(this);
        if (typeof depth === 'number' && depth < 0)
            return options.stylize('[Object]', 'special');
        const inner = { ...options };
        if (options.depth !== null)
            inner.depth = options.depth - 1;
        return join(this.constructor.name, list.map(([name, value]) =>
            `${inspect(name, inner)} => ${inspect(value, inner)}`), options);
    }
}

// On one line, if it fits.
function join(name, parts, { breakLength }) {
    if (parts.length === 0)
        return `${name} {}`;
    const width = parts.reduce((sum, one) => sum +
        one.replace(/\u001b\[\d\d?m/g, '').length + 2, -2);
    return width > breakLength ? `${name} {\n  ${parts.join(',\n  ')} }`
        : `${name} { ${parts.join(', ')} }`;
}

// ---- iterators ----

const walks = new WeakMap(); // iterator -> {params, pick, at}

const IteratorPrototype = Object.getPrototypeOf(
    Object.getPrototypeOf([][Symbol.iterator]()));

const walker = Object.create(IteratorPrototype, {
    [Symbol.toStringTag]: { value: 'URLSearchParams Iterator',
        configurable: true },
    next: { writable: true, enumerable: true, configurable: true,
        value: { next() {
            const walk = walks.get(this);
            if (walk === undefined)
                throw wrongThis('URLSearchParamsIterator');
            const list = listOf(walk.params);
            return walk.at < list.length
                ? { value: walk.pick(list[walk.at++]), done: false }
                : { value: undefined, done: true };
        } }.next },
    [custom]: { writable: true, configurable: true,
        value(depth, options, inspect = require('util/inspect').inspect) {
            const { params, pick, at } = walks.get(this);
            if (typeof depth === 'number' && depth < 0)
                return options.stylize('[Object]', 'special');
            return join('URLSearchParams Iterator', listOf(params).slice(at)
                .map((one) => inspect(pick(one), options)), options);
        } },
});

function iterate(params, pick) {
    listOf(params);
    const iterator = Object.create(walker);
    walks.set(iterator, { params, pick, at: 0 });
    return iterator;
}

Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, {
    value: URLSearchParams.prototype.entries, writable: true, configurable: true,
});
for (const key of ['size', 'append', 'delete', 'get', 'getAll', 'has', 'set',
    'sort', 'entries', 'forEach', 'keys', 'values', 'toString'])
    Object.defineProperty(URLSearchParams.prototype, key, { enumerable: true });
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag,
    { value: 'URLSearchParams', configurable: true });

module.exports = { URLSearchParams, link, refill };
