// SPDX-License-Identifier: MIT
// plural -- Intl.PluralRules.
'use strict';

const { makeClass, pick } = require('intl/class');
const { readDigits, digitSkeleton, shownDigits } = require('intl/digits');
const { canonicalList, resolve } = require('intl/locale');
const { newNumber, newRange } = require('intl/number');
const options = require('intl/options');

const { newRules, select, selectRange, categories } = native;
const service = 'Intl.PluralRules';
const order = ['few', 'many', 'one', 'two', 'zero', 'other'];

function create(locales, given) {
    const tags = canonicalList(locales);
    const wanted = options.coerce(given, service);
    options.matcher(wanted, service);
    const type = options.choose(wanted, 'type', ['cardinal', 'ordinal'], 'cardinal',
        service);
    const digits = readDigits(wanted, { least: 0, most: 3, isCompact: false }, service);
    const { locale, forICU } = resolve(tags, {}, []);
    const skeleton = digitSkeleton(digits);
    return { locale, forICU, type, digits, skeleton,
        rules: newRules(forICU, type === 'ordinal'), number: newNumber(forICU, skeleton) };
}

function readEnd(value, name) {
    if (value === undefined)
        throw new TypeError(`Invalid ${name} : undefined`);
    const number = Number(value);
    if (Number.isNaN(number))
        throw new RangeError(`Invalid ${name} : NaN`);
    return `${number}`;
}

const PluralRules = makeClass('PluralRules', create, (stateOf) => ({
    resolvedOptions() {
        const { rules, digits, ...state } = stateOf(this, 'resolvedOptions');
        const found = categories(rules);
        return { ...pick(state, ['locale', 'type']), ...pick(digits, shownDigits),
            pluralCategories: order.filter((name) => found.includes(name)) };
    },

    select(value) {
        const { rules, number } = stateOf(this, 'select');
        const given = Number(value);
        return Number.isFinite(given) ? select(rules, number, given) : 'other';
    },

    selectRange(start, end) {
        const state = stateOf(this, 'selectRange');
        const ends = [readEnd(start, 'startRange'), readEnd(end, 'endRange')];
        state.range ??= newRange(state.forICU, state.skeleton);
        return selectRange(state.rules, state.range, ...ends);
    },
}));

module.exports = { PluralRules };
