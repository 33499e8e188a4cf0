// SPDX-License-Identifier: MIT
// url/punycode -- Unicode in ASCII (RFC 3492), as Node's deprecated module.
'use strict';

const MOST = 0x7fffffff;
const BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700;
const FIRST_BIAS = 72, FIRST_CODE = 128;

const texts = { overflow: 'Overflow: input needs wider integers to process',
    basic: 'Illegal input >= 0x80 (not a basic code point)', invalid: 'Invalid input' };
const fail = (kind) => { throw new RangeError(texts[kind]); };

function adapt(delta, count, isFirst) {
    delta = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
    delta += Math.floor(delta / count);
    let k = 0;
    for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE)
        delta = Math.floor(delta / (BASE - T_MIN));
    return Math.floor(k + (BASE - T_MIN + 1) * delta / (delta + SKEW));
}

const threshold = (k, bias) => k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;

// a..z, 0..9
const digitText = (digit) => String.fromCharCode(digit + (digit < 26 ? 97 : 22));
function digitOf(code) {
    if (code >= 0x30 && code < 0x3a)
        return code - 22;
    if (code >= 0x41 && code < 0x5b)
        return code - 0x41;
    return code >= 0x61 && code < 0x7b ? code - 0x61 : BASE;
}

const ucs2 = {
    decode: (text) => [...text].map((letter) => letter.codePointAt(0)),
    encode: (codes) => String.fromCodePoint(...codes),
};

function decode(input) {
    const last = Math.max(0, input.lastIndexOf('-')), output = [];
    for (let i = 0; i < last; i++) {
        if (input.charCodeAt(i) >= 0x80)
            fail('basic');
        output.push(input.charCodeAt(i));
    }
    let code = FIRST_CODE, at = 0, bias = FIRST_BIAS;
    for (let index = last > 0 ? last + 1 : 0; index < input.length;) {
        const before = at;
        for (let weight = 1, k = BASE; ; k += BASE) {
            if (index >= input.length)
                fail('invalid');
            const digit = digitOf(input.charCodeAt(index++));
            if (digit >= BASE)
                fail('invalid');
            if (digit > Math.floor((MOST - at) / weight))
                fail('overflow');
            at += digit * weight;
            const t = threshold(k, bias);
            if (digit < t)
                break;
            if (weight > Math.floor(MOST / (BASE - t)))
                fail('overflow');
            weight *= BASE - t;
        }
        const count = output.length + 1;
        bias = adapt(at - before, count, before === 0);
        if (Math.floor(at / count) > MOST - code)
            fail('overflow');
        code += Math.floor(at / count);
        at %= count;
        output.splice(at++, 0, code);
    }
    return String.fromCodePoint(...output);
}

function encodeNumber(delta, bias) {
    let text = '';
    for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (delta < t)
            return text + digitText(delta);
        const rest = delta - t;
        text += digitText(t + rest % (BASE - t));
        delta = Math.floor(rest / (BASE - t));
    }
}

function encode(input) {
    const codes = ucs2.decode(input), basic = codes.filter((code) => code < 0x80);
    let text = String.fromCharCode(...basic), handled = basic.length;
    if (handled > 0)
        text += '-';
    for (let code = FIRST_CODE, delta = 0, bias = FIRST_BIAS; handled < codes.length;) {
        const next = Math.min(...codes.filter((one) => one >= code));
        if (next - code > Math.floor((MOST - delta) / (handled + 1)))
            fail('overflow');
        delta += (next - code) * (handled + 1);
        for (const one of codes) {
            if (one < next && ++delta > MOST)
                fail('overflow');
            if (one !== next)
                continue;
            text += encodeNumber(delta, bias);
            bias = adapt(delta, handled + 1, handled === basic.length);
            delta = 0;
            handled++;
        }
        delta++;
        code = next + 1;
    }
    return text;
}

// Each label of a domain, or of the domain of an address.
function mapLabels(text, fn) {
    const at = text.split('@');
    const domain = at.length > 1 ? at[1] : text;
    return (at.length > 1 ? `${at[0]}@` : '') +
        domain.replace(/[\u3002\uff0e\uff61]/g, '.').split('.').map(fn).join('.');
}

module.exports = {
    version: '2.1.0',
    ucs2, decode, encode,
    toASCII: (input) => mapLabels(input, (label) =>
        /[^\0-\x7f]/.test(label) ? `xn--${encode(label)}` : label),
    toUnicode: (input) => mapLabels(input, (label) =>
        label.startsWith('xn--') ? decode(label.slice(4).toLowerCase()) : label),
};
