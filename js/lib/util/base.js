// SPDX-License-Identifier: MIT
// base -- the text in front of the braces: functions, errors, boxed values.
'use strict';

const { plain, paint, formatPrimitive } = require('util/text');
const { hasOwnProperty } = Object.prototype;

function isInstance(value, ctor) {
    try {
        return value instanceof ctor;
    } catch {
        return false;
    }
}

// A DOMException is an error, too.
function isError(value) {
    return native.isError(value) || isInstance(value, Error);
}

function prefix(ctor, tag, fallback, size = '') {
    if (ctor === null)
        return tag !== '' && fallback !== tag
            ? `[${fallback}${size}: null prototype] [${tag}] `
            : `[${fallback}${size}: null prototype] `;
    return tag !== '' && ctor !== tag ? `${ctor}${size} [${tag}] `
        : `${ctor}${size} `;
}

function classBase(value, ctor, tag) {
    const name = (hasOwnProperty.call(value, 'name') && value.name) ||
        '(anonymous)';
    let base = `class ${name}`;
    if (ctor !== 'Function' && ctor !== null)
        base += ` [${ctor}]`;
    if (tag !== '' && ctor !== tag)
        base += ` [${tag}]`;
    if (ctor === null)
        return `[${base} extends null]`;
    const parent = Object.getPrototypeOf(value).name;
    return parent ? `[${base} extends ${parent}]` : `[${base}]`;
}

function functionBase(value, ctor, tag) {
    if (/^class\b[^(]*\{/.test(Function.prototype.toString.call(value)))
        return classBase(value, ctor, tag);
    const type = native.classOf(value)
        .replace(/^(?!Async|Generator).*/, 'Function');
    let base = `[${type}`;
    if (ctor === null)
        base += ' (null prototype)';
    base += value.name === '' ? ' (anonymous)]' : `: ${String(value.name)}]`;
    if (ctor !== type && ctor !== null)
        base += ` ${ctor}`;
    if (tag !== '' && ctor !== tag)
        base += ` [${tag}]`;
    return base;
}

// Add the class of an error if its stack does not show it.
function improveStack(stack, ctor, name, tag) {
    let length = name.length;
    if (ctor !== null && !(name.endsWith('Error') && stack.startsWith(name) &&
        (stack.length === length || stack[length] === ':' ||
            stack[length] === '\n')))
        return stack;
    let fallback = 'Error';
    if (ctor === null) {
        const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) ||
            /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
        fallback = (start && start[1]) || '';
        length = fallback.length;
        fallback = fallback || 'Error';
    }
    const whole = prefix(ctor, tag, fallback).slice(0, -1);
    if (name === whole)
        return stack;
    if (!whole.includes(name))
        return `${whole} [${name}]${stack.slice(length)}`;
    return length === 0 ? `${whole}: ${stack}` : whole + stack.slice(length);
}

// If more than three consecutive lines also occur in the other stack, keep only
// the first and the last of them.
function withoutShared(lines, others, note) {
    for (let i = 0; i < lines.length - 3; i++) {
        const at = others.indexOf(lines[i]);
        let same = 0;
        while (at >= 0 && i + same < lines.length && at + same < others.length &&
            lines[i + same] === others[at + same])
            same++;
        if (same > 3)
            return [...lines.slice(0, i + 1), note(same - 2),
                ...lines.slice(i + same - 1)];
    }
    return lines;
}

// Omit the lines that an error shares with its cause.
function shorten(ctx, lines, cause) {
    const stack = String(cause.stack), start = stack.indexOf('\n    at');
    return start < 0 ? lines : withoutShared(lines, stack.slice(start + 1).split('\n'),
        (count) => ctx.stylize(
            `    ... ${count} lines matching cause stack trace ...`, 'undefined'));
}

// The stack of a DOMException contains only its frames.
function stackOf(error) {
    const head = () => Error.prototype.toString.call(error);
    const stack = error.stack ? String(error.stack) : head();
    return native.classOf(error) === 'DOMException' && /^( {4}at |$)/.test(stack)
        ? `${head()}\n${stack.trimEnd()}` : stack;
}

function errorBase(ctx, error, ctor, tag, keys) {
    const name = error.name != null ? String(error.name) : 'Error';
    let stack = stackOf(error);
    if (!ctx.showHidden)
        for (const key of ['name', 'message', 'stack']) {
            const at = keys.indexOf(key);
            if (at >= 0 && stack.includes(error[key]))
                keys.splice(at, 1);
        }
    if ('cause' in error && !keys.includes('cause'))
        keys.push('cause');
    if (Array.isArray(error.errors) && !keys.includes('errors'))
        keys.push('errors');
    stack = improveStack(stack, ctor, name, tag);
    let at = (error.message && stack.indexOf(error.message)) || -1;
    if (at >= 0)
        at += error.message.length;
    const frames = stack.indexOf('\n    at', at);
    if (frames < 0) {
        stack = `[${stack}]`;
    } else {
        let lines = stack.slice(frames + 1).split('\n');
        if (error.cause !== null && typeof error.cause === 'object' &&
            native.isError(error.cause))
            lines = shorten(ctx, lines, error.cause);
        if (ctx.colors)
            lines = lines.map((line) =>
                /\(node:|native\)$/.test(line) ? paint(line, 'undefined') : line);
        stack = `${stack.slice(0, frames)}\n${lines.join('\n')}`;
    }
    return ctx.indentation === 0 ? stack
        : stack.replaceAll('\n', `\n${' '.repeat(ctx.indentation)}`);
}

function boxBase(ctx, value, keys, ctor, tag) {
    const type = native.classOf(value);
    const inner = { Number, String, Boolean, BigInt, Symbol }[type]
        .prototype.valueOf.call(value);
    let base = `[${type}`;
    if (type === 'String')
        keys.splice(0, value.length);
    if (type !== ctor)
        base += ctor === null ? ' (null prototype)' : ` (${ctor})`;
    base += `: ${formatPrimitive({ ...ctx, stylize: plain }, inner)}]`;
    if (tag !== '' && tag !== ctor)
        base += ` [${tag}]`;
    return keys.length !== 0 || ctx.stylize === plain ? base
        : ctx.stylize(base, type.toLowerCase());
}

module.exports = { prefix, functionBase, errorBase, boxBase, isInstance, isError,
    withoutShared };
