// SPDX-License-Identifier: MIT
// inspect -- values as text, as Node's util.inspect and util.format print them.
//
// A single traversal: format() returns the text of a value.  The entries of an
// object are texts, too; layout.js joins them.  native.classOf() returns the
// engine's name for the class of an object, which no property can fake.
'use strict';

const custom = Symbol.for('nodejs.util.inspect.custom');
const { styles, plain, paint, stripVTControlCharacters, cellsOf, special, escape, quote,
    formatPrimitive } = require('util/text');
const { prefix, functionBase, errorBase, boxBase, isInstance, isError } =
    require('util/base');
const { join, ARRAY } = require('util/layout');

const OBJECT = 0; // entries with keys
const EXTRA = 2; // additional properties of an array
const { hasOwnProperty, propertyIsEnumerable } = Object.prototype;

const defaults = {
    showHidden: false, depth: 2, colors: false, customInspect: true,
    showProxy: false, maxArrayLength: 100, maxStringLength: 10000,
    breakLength: 80, compact: 3, sorted: false, getters: false,
    numericSeparator: false,
};

// ---- names ----

// Returns null for an object without a prototype.
function constructorName(value, ctx, level) {
    let first;
    for (let at = value; at !== null;) {
        const found = Object.getOwnPropertyDescriptor(at, 'constructor');
        if (found !== undefined && typeof found.value === 'function' &&
            found.value.name !== '' && isInstance(value, found.value))
            return String(found.value.name);
        at = Object.getPrototypeOf(at);
        if (first === undefined)
            first = at;
    }
    if (first === null)
        return null;
    const kind = native.classOf(value);
    if (ctx.depth !== null && level > ctx.depth)
        return `${kind} <Complex prototype>`;
    const parent = constructorName(first, ctx, level + 1);
    return parent === null
        ? `${kind} <${inspect(first, { ...ctx, customInspect: false, depth: -1 })}>`
        : `${kind} <${parent}>`;
}

function keysOf(value, showHidden) {
    const symbols = Object.getOwnPropertySymbols(value);
    if (showHidden)
        return [...Object.getOwnPropertyNames(value), ...symbols];
    let keys;
    try {
        keys = Object.keys(value);
    } catch { // a namespace with an uninitialized binding
        keys = Object.getOwnPropertyNames(value);
    }
    for (const symbol of symbols)
        if (propertyIsEnumerable.call(value, symbol))
            keys.push(symbol);
    return keys;
}

const isIndex = /^(0|[1-9][0-9]*)$/;

// ---- kinds of objects: each returns its entries ----

function more(output, count) {
    if (count > 0)
        output.push(`... ${count} more item${count > 1 ? 's' : ''}`);
}

function formatHoles(ctx, value, level, limit, output, at) {
    const keys = Object.keys(value);
    let index = at;
    for (; at < keys.length && output.length < limit; at++) {
        const key = keys[at];
        if (key > 4294967294 || (`${index}` !== key && !isIndex.test(key)))
            break;
        if (`${index}` !== key) {
            const holes = key - index;
            output.push(ctx.stylize(
                `<${holes} empty item${holes > 1 ? 's' : ''}>`, 'undefined'));
            index = +key;
            if (output.length === limit)
                break;
        }
        output.push(formatProperty(ctx, value, level, key, ARRAY));
        index++;
    }
    const rest = value.length - index;
    if (output.length === limit)
        more(output, rest);
    else if (rest > 0)
        output.push(ctx.stylize(
            `<${rest} empty item${rest > 1 ? 's' : ''}>`, 'undefined'));
    return output;
}

function formatArray(ctx, value, level) {
    const limit = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
    const output = [];
    for (let i = 0; i < limit; i++) {
        if (!hasOwnProperty.call(value, i))
            return formatHoles(ctx, value, level, limit, output, i);
        output.push(formatProperty(ctx, value, level, i, ARRAY));
    }
    more(output, value.length - limit);
    return output;
}

// A program may have redefined it.
const typedLength = Object.getOwnPropertyDescriptor(
    Object.getPrototypeOf(Uint8Array.prototype), 'length').get;

function formatTypedArray(ctx, value, level) {
    const length = typedLength.call(value);
    const limit = Math.min(Math.max(0, ctx.maxArrayLength), length);
    const output = [];
    for (let i = 0; i < limit; i++)
        output.push(formatPrimitive(ctx, value[i]));
    more(output, length - limit);
    if (ctx.showHidden) {
        ctx.indentation += 2;
        for (const key of ['BYTES_PER_ELEMENT', 'length', 'byteLength',
            'byteOffset', 'buffer'])
            output.push(`[${key}]: ${format(ctx, value[key], level, true)}`);
        ctx.indentation -= 2;
    }
    return output;
}

// Use the object's own iterator and size, as Node does: a subclass may have
// redefined them.
function formatEach(ctx, value, show) {
    const { size } = value, output = [];
    const limit = Math.min(Math.max(0, ctx.maxArrayLength), size);
    ctx.indentation += 2;
    for (const item of value) {
        if (output.length >= limit)
            break;
        output.push(show(item));
    }
    more(output, size - limit);
    ctx.indentation -= 2;
    return output;
}

const setValues = Set.prototype.values, mapEntries = Map.prototype.entries;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;

// Without a prototype it has no iterator, and in Node no limit.
const itemsOf = (value, all) => Symbol.iterator in value ? value : all.call(value);

function formatSet(ctx, value, level) {
    return formatEach(ctx, itemsOf(value, setValues), (item) => format(ctx, item, level));
}

function formatMap(ctx, value, level) {
    return formatEach(ctx, itemsOf(value, mapEntries), ([key, item]) =>
        `${format(ctx, key, level)} => ${format(ctx, item, level)}`);
}

function formatPromise(ctx, value, level) {
    const [state, result] = native.promise(value);
    if (state === 0)
        return [ctx.stylize('<pending>', 'special')];
    ctx.indentation += 2;
    const text = format(ctx, result, level);
    ctx.indentation -= 2;
    return [state === 2 ? `${ctx.stylize('<rejected>', 'special')} ${text}`
        : text];
}

function formatArrayBuffer(ctx, value) {
    let bytes;
    try {
        bytes = new Uint8Array(value);
    } catch {
        return [ctx.stylize('(detached)', 'special')];
    }
    const limit = Math.min(Math.max(0, ctx.maxArrayLength), bytes.length);
    const hex = [];
    for (let i = 0; i < limit; i++)
        hex.push(bytes[i].toString(16).padStart(2, '0'));
    const rest = bytes.length - limit;
    const tail = rest > 0 ? ` ... ${rest} more byte${rest > 1 ? 's' : ''}` : '';
    return [`${ctx.stylize('[Uint8Contents]', 'special')}: <${hex.join(' ')}${tail}>`];
}

// In a namespace, a binding may be uninitialized.
function formatNamespace(ctx, value, level, keys) {
    const output = keys.map((key) => {
        try {
            return formatProperty(ctx, value, level, key, OBJECT);
        } catch {
            return `${key}: ${ctx.stylize('<uninitialized>', 'special')}`;
        }
    });
    keys.length = 0;
    return output;
}

// ---- any object ----

// `Name [tag] `, for objects without their own format.
function nameOf(value, ctor, tag) {
    const kind = ctor === null ? native.classOf(value) : '';
    return prefix(ctor, tag, kind === tag ? 'Object' : kind);
}

const isTooDeep = (ctx, level) => ctx.depth !== null && level > ctx.depth;

// What to show: {base, open, close, entries, keys, type}, or a text.
function describe(ctx, value, level, ctor, tag, isTyped, hasMore) {
    const kind = ctor === null && tag === 'Module' && Object.isSealed(value)
        ? 'Module' : native.classOf(value);
    const { showHidden } = ctx;
    const shape = { base: '', open: '{', close: '}', entries: () => [],
        keys: undefined, type: OBJECT };
    const head = (fallback, size) => prefix(ctor, tag, fallback, size);
    const isIterable = ctor === null || Symbol.iterator in value;

    if (isIterable && Array.isArray(value)) {
        const name = ctor !== 'Array' || tag !== ''
            ? head('Array', `(${value.length})`) : '';
        shape.keys = native.nonIndexKeys(value, showHidden);
        if (value.length === 0 && shape.keys.length === 0 && !hasMore)
            return `${name}[]`;
        return Object.assign(shape, { open: `${name}[`, close: ']',
            entries: formatArray, type: ARRAY });
    }
    if (isIterable && ArrayBuffer.isView(value) && kind !== 'DataView') {
        shape.keys = native.nonIndexKeys(value, showHidden);
        const length = typedLength.call(value), name = head(kind, `(${length})`);
        if (length === 0 && shape.keys.length === 0 && !showHidden)
            return `${name}[]`;
        return Object.assign(shape, { open: `${name}[`, close: ']',
            entries: formatTypedArray, type: ARRAY });
    }
    const keys = shape.keys = keysOf(value, showHidden);
    const none = () => keys.length === 0 && !hasMore;
    if (isIterable && (kind === 'Set' || kind === 'Map')) {
        const size = (kind === 'Set' ? setSize : mapSize).call(value);
        const name = head(kind, `(${size})`);
        shape.open = `${name}{`;
        shape.entries = kind === 'Set' ? formatSet : formatMap;
        return size === 0 && none() ? `${name}{}` : shape;
    }
    if (isIterable && (kind === 'Map Iterator' || kind === 'Set Iterator')) {
        shape.open = `[${tag || kind}] {`;
        shape.entries = unknown;
        return shape;
    }
    if (typeof value === 'function') {
        shape.base = functionBase(value, ctor, tag);
        return none() ? ctx.stylize(shape.base, 'special') : shape;
    }
    if (ctor === 'Object') {
        shape.open = kind === 'Arguments' ? '[Arguments] {'
            : tag !== '' ? `${head('Object')}{` : '{';
        return none() ? `${shape.open}}` : shape;
    }
    if (isError(value)) {
        if (showHidden) // V8's order
            keys.splice(0, keys.length, 'stack',
                ...keys.filter((key) => key !== 'stack'));
        shape.base = errorBase(ctx, value, ctor, tag, keys);
        return none() ? shape.base : shape;
    }
    return describeKind(ctx, value, level, kind, shape, head, none,
        { ctor, tag, isTyped });
}

const unknown = (ctx) => [ctx.stylize('<items unknown>', 'special')];

function describeKind(ctx, value, level, kind, shape, head, none, { ctor, tag, isTyped }) {
    const { keys } = shape;
    switch (kind) {
    case 'RegExp': {
        const name = head('RegExp');
        const text = RegExp.prototype.toString.call(
            ctor === null ? new RegExp(value) : value);
        shape.base = name === 'RegExp ' ? text : name + text;
        return none() || isTooDeep(ctx, level) ? ctx.stylize(shape.base, 'regexp')
            : shape;
    }
    case 'Date': {
        const name = head('Date'), time = Date.prototype.getTime.call(value);
        const text = Number.isNaN(time) ? 'Invalid Date'
            : Date.prototype.toISOString.call(value);
        shape.base = name === 'Date ' ? text : name + text;
        return none() ? ctx.stylize(shape.base, 'date') : shape;
    }
    case 'ArrayBuffer': case 'SharedArrayBuffer':
        if (isTyped && none())
            return `${head(kind)}{ byteLength: ${formatPrimitive(ctx, value.byteLength)} }`;
        if (!isTyped)
            shape.entries = formatArrayBuffer;
        keys.unshift('byteLength');
        shape.open = `${head(kind)}{`;
        return shape;
    case 'DataView':
        keys.unshift('byteLength', 'byteOffset', 'buffer');
        shape.open = `${head(kind)}{`;
        return shape;
    case 'Promise':
        shape.open = `${head(kind)}{`;
        shape.entries = formatPromise;
        return shape;
    case 'WeakSet': case 'WeakMap':
        shape.open = `${head(kind)}{`;
        shape.entries = unknown;
        return shape;
    case 'Module':
        shape.open = `${head('Module')}{`;
        shape.entries = (c, v, at) => formatNamespace(c, v, at, keys);
        return shape;
    case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol':
        shape.base = boxBase(ctx, value, keys, ctor, tag);
        return none() ? shape.base : shape;
    }
    if ((tag === 'URL' || ctor === 'URL') && require('url/url').isURL(value) &&
        !isTooDeep(ctx, level)) {
        shape.base = value.href;
        return none() ? shape.base : shape;
    }
    shape.open = `${nameOf(value, ctor, tag)}{`;
    return none() ? `${shape.open}}` : shape;
}

// With showHidden: show what the prototypes of the program's own classes hold,
// except functions and what the object or a lower prototype hides.
function formatInherited(ctx, value, level) {
    const first = Object.getPrototypeOf(value), output = [], shown = new Set();
    const own = Object.hasOwn(value, 'constructor') ? value : first;
    if (own === null || (own === first && isBuiltin(first)))
        return output;
    ctx.seen.push(value);
    for (let at = first, step = 0; at !== null && step < 3 &&
        (step === 0 && own === first || !isBuiltin(at));
        at = Object.getPrototypeOf(at), step++) {
        const keys = Reflect.ownKeys(at);
        for (const key of keys) {
            const found = Object.getOwnPropertyDescriptor(at, key);
            if (key === 'constructor' || Object.hasOwn(value, key) ||
                shown.has(key) || typeof found.value === 'function')
                continue;
            const text = formatProperty(ctx, at, level, key, OBJECT, value);
            output.push(ctx.colors ? `\u001b[2m${text}\u001b[22m` : text);
        }
        keys.forEach((key) => shown.add(key));
    }
    ctx.seen.pop();
    return output;
}

let builtins; // names of built-in classes, of the engine and the host

function isBuiltin(proto) {
    builtins ??= new Set(Object.getOwnPropertyNames(globalThis)
        .filter((name) => /^[A-Z][a-zA-Z0-9]+$/.test(name)));
    const found = Object.getOwnPropertyDescriptor(proto, 'constructor');
    return typeof found?.value === 'function' && builtins.has(found.value.name);
}

// The engine's error for too deep a recursion.
function isOverflow(error) {
    return isError(error) && error.name === 'RangeError' &&
        error.message === 'Maximum call stack size exceeded';
}

function formatEntries(ctx, value, level, shape, inherited) {
    const output = shape.entries(ctx, value, level);
    const type = shape.type === ARRAY ? EXTRA : OBJECT;
    for (const key of shape.keys)
        output.push(formatProperty(ctx, value, level, key, type));
    output.push(...inherited);
    return output;
}

function formatObject(ctx, value, level, isTyped) {
    const ctor = constructorName(value, ctx, level);
    let tag = value[Symbol.toStringTag];
    if (typeof tag !== 'string' || (tag !== '' &&
        (ctx.showHidden ? hasOwnProperty : propertyIsEnumerable)
            .call(value, Symbol.toStringTag)))
        tag = '';
    const inherited = ctx.showHidden && ctor !== null && !isTooDeep(ctx, level)
        ? formatInherited(ctx, value, level) : [];
    const shape = describe(ctx, value, level, ctor, tag, isTyped,
        inherited.length > 0);
    if (typeof shape === 'string')
        return shape;
    if (isTooDeep(ctx, level)) {
        const name = nameOf(value, ctor, tag).slice(0, -1);
        return ctx.stylize(ctor === null ? name : `[${name}]`, 'special');
    }
    level++;
    ctx.seen.push(value);
    ctx.current = level;
    const { indentation } = ctx, depth = ctx.seen.length;
    let output;
    try {
        output = formatEntries(ctx, value, level, shape, inherited);
    } catch (error) {
        if (!isOverflow(error))
            throw error;
        ctx.seen.length = depth - 1;
        ctx.indentation = indentation;
        return ctx.stylize(`[${nameOf(value, ctor, tag).slice(0, -1)}: Inspection ` +
            'interrupted prematurely. Maximum call stack size exceeded.]', 'special');
    }
    ctx.seen.pop();
    const index = ctx.circular?.get(value);
    if (index !== undefined) {
        const mark = ctx.stylize(`<ref *${index}>`, 'special');
        if (ctx.compact === true)
            shape.open = `${mark} ${shape.open}`;
        else
            shape.base = shape.base === '' ? mark : `${mark} ${shape.base}`;
    }
    if (ctx.sorted)
        sort(ctx, output, shape);
    const text = join(ctx, output, shape, level, value);
    ctx.size += text.length;
    if (ctx.size > 2 ** 27)
        ctx.depth = -1;
    return text;
}

function sort(ctx, output, shape) {
    const order = ctx.sorted === true ? undefined : ctx.sorted;
    if (shape.type === OBJECT)
        output.sort(order);
    else if (shape.keys.length > 1)
        output.push(...output.splice(output.length - shape.keys.length)
            .sort(order));
}

function formatProperty(ctx, value, level, key, type, receiver = value) {
    const found = Object.getOwnPropertyDescriptor(value, key) ||
        { value: value[key], enumerable: key !== 'stack' };
    let text, gap = ' ';
    if (found.value !== undefined) {
        const step = ctx.compact !== true || type !== OBJECT ? 2 : 3;
        ctx.indentation += step;
        text = format(ctx, found.value, level);
        if (step === 3 && ctx.breakLength < cellsOf(text))
            gap = `\n${' '.repeat(ctx.indentation)}`;
        ctx.indentation -= step;
    } else if (found.get !== undefined) {
        text = formatGetter(ctx, receiver, level, found);
    } else if (found.set !== undefined) {
        text = ctx.stylize('[Setter]', 'special');
    } else {
        text = ctx.stylize('undefined', 'undefined');
    }
    if (type === ARRAY)
        return text;
    return `${keyText(ctx, key, found)}:${gap}${text}`;
}

function formatGetter(ctx, value, level, found) {
    const label = found.set !== undefined ? 'Getter/Setter' : 'Getter';
    const { stylize, getters } = ctx;
    if (!getters || (getters === 'get' && found.set !== undefined) ||
        (getters === 'set' && found.set === undefined))
        return stylize(`[${label}]`, 'special');
    try {
        const got = found.get.call(value);
        ctx.indentation += 2;
        const text = got === null || typeof got !== 'object'
            ? `${stylize(`[${label}:`, 'special')} ${format(ctx, got, level)}${stylize(']', 'special')}`
            : `${stylize(`[${label}]`, 'special')} ${format(ctx, got, level)}`;
        ctx.indentation -= 2;
        return text;
    } catch (error) {
        return `${stylize(`[${label}:`, 'special')} <Inspection threw (${error.message})>${stylize(']', 'special')}`;
    }
}

function keyText(ctx, key, found) {
    if (typeof key === 'symbol')
        return `[${ctx.stylize(Symbol.prototype.toString.call(key).replace(special, escape), 'symbol')}]`;
    if (key === '__proto__')
        return "['__proto__']";
    if (found.enumerable === false)
        return `[${key.replace(special, escape)}]`;
    return /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? ctx.stylize(key, 'name')
        : ctx.stylize(quote(key), 'string');
}

// ---- the traversal ----

function formatCustom(ctx, value, level, inspected) {
    const fn = value[custom];
    if (typeof fn !== 'function' || fn === inspect ||
        (value.constructor && value.constructor.prototype === value))
        return undefined;
    const depth = ctx.depth === null ? null : ctx.depth - level;
    const result = fn.call(inspected, depth, {
        ...pick(ctx), stylize: ctx.stylize, ...ctx.user }, inspect);
    if (result === inspected)
        return undefined;
    if (typeof result !== 'string')
        return format(ctx, result, level);
    return result
        .replaceAll('\n', `\n${' '.repeat(ctx.indentation)}`);
}

function pick(ctx) {
    const options = {};
    for (const key of Object.keys(defaults))
        options[key] = ctx[key];
    return options;
}

function format(ctx, value, level, isTyped) {
    if (value === null)
        return ctx.stylize('null', 'null');
    if (typeof value !== 'object' && typeof value !== 'function')
        return formatPrimitive(ctx, value);
    const inspected = value;
    while (native.isProxy(value)) {
        const target = native.proxyTarget(value);
        if (target === null)
            return ctx.stylize('<Revoked Proxy>', 'special');
        if (ctx.showProxy)
            return formatProxy(ctx, value, level);
        value = target;
    }
    if (ctx.customInspect) {
        const text = formatCustom(ctx, value, level, inspected);
        if (text !== undefined)
            return text;
    }
    if (ctx.seen.includes(value)) {
        ctx.circular ??= new Map();
        let index = ctx.circular.get(value);
        if (index === undefined)
            ctx.circular.set(value, index = ctx.circular.size + 1);
        return ctx.stylize(`[Circular *${index}]`, 'special');
    }
    return formatObject(ctx, value, level, isTyped);
}

function formatProxy(ctx, value, level) {
    if (ctx.depth !== null && level > ctx.depth)
        return ctx.stylize('Proxy [Array]', 'special');
    ctx.indentation += 2;
    ctx.current = ++level;
    const output = [format(ctx, native.proxyTarget(value), level),
        format(ctx, native.proxyHandler(value), level)];
    ctx.indentation -= 2;
    return join(ctx, output, { base: '', open: 'Proxy [', close: ']',
        type: ARRAY }, level);
}

function inspect(value, options, ...legacy) {
    const ctx = { ...defaults, seen: [], circular: undefined,
        indentation: 0, current: 0, size: 0, stylize: plain, user: {} };
    if (typeof options === 'boolean')
        ctx.showHidden = options;
    else if (options)
        Object.assign(ctx, pickKnown(options), { user: options });
    if (legacy.length > 0 && legacy[0] !== undefined)
        ctx.depth = legacy[0];
    if (legacy[1] !== undefined)
        ctx.colors = legacy[1];
    if (ctx.colors)
        ctx.stylize = paint;
    if (ctx.maxArrayLength === null)
        ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null)
        ctx.maxStringLength = Infinity;
    return format(ctx, value, 0);
}

function pickKnown(options) {
    const known = {};
    for (const key of Object.keys(defaults))
        if (hasOwnProperty.call(options, key) && options[key] !== undefined)
            known[key] = options[key];
    return known;
}

inspect.custom = custom;
let colors;
Object.defineProperty(inspect, 'colors', {
    configurable: true, enumerable: true,
    get: () => colors ??= require('util/colors'),
    set(value) { colors = value; },
});
inspect.styles = styles;
Object.defineProperty(inspect, 'defaultOptions', {
    configurable: true, enumerable: true,
    get: () => defaults,
    set(options) {
        require('core/errors').checkObject(options, 'options');
        Object.assign(defaults, pickKnown(options));
    },
});

module.exports = {
    inspect, isError, classOf: native.classOf,
    isProxy: native.isProxy, proxyTarget: native.proxyTarget,
    stripVTControlCharacters,
};
