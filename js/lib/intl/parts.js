// SPDX-License-Identifier: MIT
// parts -- what formatToParts returns, from the text and the fields of ICU.
'use strict';

// ufieldpositer.h, uformattedvalue.h
const spans = [0x1002, 0x1003, 0x1005]; // of a range of numbers, a list, an interval

// [text, category, field, begin, end, ...] as objects; the wider fields first, as
// narrower ones are inside of them.
function fieldsOf([text, ...numbers]) {
    const fields = [];
    for (let i = 0; i < numbers.length; i += 4) {
        const [category, field, begin, end] = numbers.slice(i, i + 4);
        fields.push({ category, field, begin, end, isSpan: spans.includes(category) });
    }
    return { text, fields: fields.sort((a, b) => b.end - b.begin - (a.end - a.begin)) };
}

// The field that each unit of the text belongs to.
function paint(length, fields) {
    const owners = new Array(length).fill(undefined);
    for (const field of fields)
        owners.fill(field, field.begin, field.end);
    return owners;
}

// fn(value, field, span) for each run of units with the same field and span.
function eachRun(list, fn) {
    const { text, fields } = fieldsOf(list);
    const owners = paint(text.length, fields.filter(({ isSpan }) => !isSpan));
    const around = paint(text.length, fields.filter(({ isSpan }) => isSpan));
    for (let begin = 0, end; begin < text.length; begin = end) {
        for (end = begin + 1; end < text.length && owners[end] === owners[begin] &&
            around[end] === around[begin]; end++);
        fn(text.slice(begin, end), owners[begin], around[begin]);
    }
}

// {type, value} for each; typeOf(field, value) is not asked about literals.
function partsOf(list, typeOf) {
    const parts = [];
    eachRun(list, (value, field) => parts.push(
        { type: field === undefined ? 'literal' : typeOf(field, value), value }));
    return parts;
}

const sources = ['startRange', 'endRange'];

// {type, value, source} for each.  The source is also typeOf's third argument.
function rangePartsOf(list, typeOf) {
    const parts = [];
    eachRun(list, (value, field, span) => {
        const source = span === undefined ? 'shared' : sources[span.field];
        const type = field === undefined ? 'literal' : typeOf(field, value, source);
        parts.push({ type, value, source });
    });
    return parts;
}

const hasSpans = (list) => fieldsOf(list).fields.some(({ isSpan }) => isSpan);

module.exports = { partsOf, rangePartsOf, eachRun, hasSpans };
