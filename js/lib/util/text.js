// SPDX-License-Identifier: MIT
// text -- primitive values as text, and their styles.
'use strict';

const styles = {
    __proto__: null,
    special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow',
    undefined: 'grey', null: 'bold', string: 'green', symbol: 'green',
    date: 'magenta', regexp: 'red', module: 'underline',
};

const plain = (text) => text;

function paint(text, style) {
    const color = require('util/inspect').inspect.colors[styles[style]];
    return color === undefined ? text
        : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
}

const ansi = /\u001b\[[0-9;]*m/g; // colours

// Control sequences of a terminal.  An introducer is followed by a command with
// its text up to a terminator, or by numbers and a final letter.
const word = '[-a-zA-Z\\d/#&.:=?%@~_]';
const command = `(?:(?:;${word}+)*|[a-zA-Z\\d]+(?:;${word}*)*)?(?:\\x07|\\x1b\\\\|\\x9c)`;
const sequence = '(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-nq-uy=><~]';
let controls; // made on first use

function widthOf(ctx, text) {
    return ctx.colors ? text.replace(ansi, '').length : text.length;
}

function stripVTControlCharacters(text) {
    if (typeof text !== 'string')
        throw require('core/errors').invalidArgType('str', 'of type string', text);
    controls ??= new RegExp(`[\\x1b\\x9b][[\\]()#;?]*(?:${command}|${sequence})`, 'g');
    return text.replace(controls, '');
}

// Characters that take two cells, and those that take none.
const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]/u;
const none = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;

// The width on a terminal; colour codes have none.
function cellsOf(text) {
    if (!/[^ -~]/.test(text))
        return text.length;
    let cells = 0;
    for (const letter of text.replace(ansi, '').normalize('NFC'))
        cells += none.test(letter) ? +(letter === '\xad') : wide.test(letter) ? 2 : 1;
    return cells;
}

// ---- strings and numbers ----

const escapes = {
    '\b': '\\b', '\t': '\\t', '\n': '\\n', '\x0B': '\\x0B', '\f': '\\f',
    '\r': '\\r', '\\': '\\\\',
};

function escape(char) {
    return escapes[char] ?? (char.length > 1 ? char :
        char < '\u0100'
            ? `\\x${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
            : `\\u${char.charCodeAt(0).toString(16)}`);
}

// Controls, backslashes and lone surrogates; pairs are matched to be kept.
const special =
    /[\ud800-\udbff][\udc00-\udfff]|[\x00-\x1f\x7f-\x9f\\\ud800-\udfff]/g;

function quote(text) {
    let mark = "'";
    if (text.includes("'")) {
        if (!text.includes('"'))
            mark = '"';
        else if (!text.includes('`') && !text.includes('${'))
            mark = '`';
    }
    const escaped = text.replace(special, escape);
    return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function formatString(ctx, text) {
    let tail = '';
    if (text.length > ctx.maxStringLength) {
        const rest = text.length - ctx.maxStringLength;
        text = text.slice(0, ctx.maxStringLength);
        tail = `... ${rest} more character${rest > 1 ? 's' : ''}`;
    }
    if (ctx.compact !== true && text.length > 16 &&
        text.length > ctx.breakLength - ctx.indentation - 4) {
        const lines = text.split(/(?<=\n)/)
            .map((line) => ctx.stylize(quote(line), 'string'));
        return lines.join(` +\n${' '.repeat(ctx.indentation + 2)}`) + tail;
    }
    return ctx.stylize(quote(text), 'string') + tail;
}

function groupDigits(digits) {
    return digits.replace(/\B(?=(\d{3})+$)/g, '_');
}

function numberText(number, separate) {
    if (Object.is(number, -0) && !separate)
        return '-0';
    const text = `${number}`;
    if (!separate || !/^-?\d+(\.\d+)?$/.test(text))
        return text;
    const [whole, part] = text.split('.');
    const grouped = groupDigits(whole);
    return part === undefined ? grouped
        : `${grouped}.${part.replace(/(\d{3})(?=\d)/g, '$1_')}`;
}

function formatPrimitive(ctx, value) {
    switch (typeof value) {
    case 'string':
        return formatString(ctx, value);
    case 'number':
        return ctx.stylize(numberText(value, ctx.numericSeparator), 'number');
    case 'bigint':
        return ctx.stylize(ctx.numericSeparator
            ? `${groupDigits(`${value}`)}n` : `${value}n`, 'bigint');
    case 'boolean':
        return ctx.stylize(`${value}`, 'boolean');
    case 'undefined':
        return ctx.stylize('undefined', 'undefined');
    default:
        return ctx.stylize(Symbol.prototype.toString.call(value), 'symbol');
    }
}

module.exports = { styles, plain, paint, stripVTControlCharacters, widthOf, cellsOf, special, escape,
    quote, numberText, formatPrimitive };
