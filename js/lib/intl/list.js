// SPDX-License-Identifier: MIT
// list -- Intl.ListFormat.
'use strict';

const { makeClass, pick } = require('intl/class');
const { canonicalList, resolve } = require('intl/locale');
const options = require('intl/options');

const { newList, format } = native;
const service = 'Intl.ListFormat';
const types = ['conjunction', 'disjunction', 'unit']; // ulistformatter.h
const styles = ['long', 'short', 'narrow'];

function create(locales, given) {
    const tags = canonicalList(locales);
    const wanted = options.demand(given);
    options.matcher(wanted, service);
    const { locale, forICU } = resolve(tags, {}, []);
    const type = options.choose(wanted, 'type', types, 'conjunction', service);
    const style = options.choose(wanted, 'style', styles, 'long', service);
    return { locale, type, style,
        handle: newList(forICU, types.indexOf(type), styles.indexOf(style)) };
}

function textsOf(iterable) {
    const texts = [];
    if (iterable === undefined)
        return texts;
    for (const text of iterable) {
        if (typeof text !== 'string')
            throw new TypeError(`Iterable yielded ${String(text)} which is not a string`);
        texts.push(text);
    }
    return texts;
}

// The elements are where the fields of the category are; an empty one has none.
function partsOf([text, ...numbers], texts) {
    const parts = [];
    let at = 0;
    const add = (type, end) => {
        if (end > at || type === 'element')
            parts.push({ type, value: text.slice(at, end) });
        at = end;
    };
    for (let i = 0; i < numbers.length; i += 4)
        if (numbers[i] === 0x1003) { // UFIELD_CATEGORY_LIST_SPAN
            add('literal', numbers[i + 2]);
            add('element', numbers[i + 3]);
        }
    add('literal', text.length);
    return texts.length === 0 ? [] : parts;
}

const ListFormat = makeClass('ListFormat', create, (stateOf) => ({
    resolvedOptions() {
        return pick(stateOf(this, 'resolvedOptions'), ['locale', 'type', 'style']);
    },

    format(list) {
        const { handle } = stateOf(this, 'format');
        const texts = textsOf(list);
        return format(handle, texts, texts.length)[0];
    },

    formatToParts(list) {
        const { handle } = stateOf(this, 'formatToParts');
        const texts = textsOf(list);
        return partsOf(format(handle, texts, texts.length), texts);
    },
}));

module.exports = { ListFormat };
