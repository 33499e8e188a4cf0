// SPDX-License-Identifier: MIT
// collator -- Intl.Collator.
'use strict';

const { makeClass, pick } = require('intl/class');
const { canonicalList, resolve, collations, keywordType } = require('intl/locale');
const options = require('intl/options');

const { newCollator, compare, attribute } = native;

// ucol.h
const off = 16, on = 17, shifted = 20, lowerFirst = 24, upperFirst = 25;
const caseFirsts = { upper: upperFirst, lower: lowerFirst, false: off };
const strengths = { base: 0, accent: 1, case: 0, variant: 2 };
const strengthIndex = 0, caseLevelIndex = 1, numericIndex = 2, caseFirstIndex = 3,
    alternateIndex = 4;

const isFlag = (value) => value === 'true' || value === 'false';

function readOptions(tags, given, service) {
    const wanted = options.coerce(given, service);
    const usage = options.choose(wanted, 'usage', ['sort', 'search'], 'sort', service);
    options.matcher(wanted, service);
    const collation = options.type(wanted, 'collation');
    const numeric = options.flag(wanted, 'numeric');
    const caseFirst = options.choose(wanted, 'caseFirst', ['upper', 'lower', 'false'],
        undefined, service);
    const resolved = resolve(tags, {
        co: { option: collation, isSupported: (value, base) =>
            usage === 'sort' && value !== 'standard' && value !== 'search' &&
            collations(base).some((name) => keywordType('co', name) === value) },
        kf: { option: caseFirst, isSupported: (value) => Object.hasOwn(caseFirsts, value) },
        kn: { option: numeric?.toString(), isSupported: isFlag },
    }, ['co'], 'collations');
    const sensitivity = options.choose(wanted, 'sensitivity', Object.keys(strengths),
        undefined, service);
    const ignorePunctuation = options.flag(wanted, 'ignorePunctuation');
    return { ...resolved, usage, sensitivity, ignorePunctuation };
}

function create(locales, given, service = 'Intl.Collator') {
    const { base, locale, forICU, values, usage, sensitivity, ignorePunctuation } =
        readOptions(canonicalList(locales), given, service);
    const tag = usage === 'search' ? `${base}-u-co-search` : forICU;
    const handle = newCollator(tag,
        sensitivity === undefined ? -1 : strengths[sensitivity],
        sensitivity === undefined ? -1 : sensitivity === 'case' ? on : off,
        values.kn === undefined ? -1 : values.kn === 'true' ? on : off,
        values.kf === undefined ? -1 : caseFirsts[values.kf],
        ignorePunctuation === undefined ? -1 : ignorePunctuation ? shifted : 21);
    return { handle, locale, usage, collation: values.co };
}

// What the locale has decided is asked for.
function resolvedSensitivity(handle) {
    switch (attribute(handle, strengthIndex)) {
    case 0: return attribute(handle, caseLevelIndex) === on ? 'case' : 'base';
    case 1: return 'accent';
    default: return 'variant';
    }
}

const caseFirstOf = (handle) => Object.keys(caseFirsts)
    .find((name) => caseFirsts[name] === attribute(handle, caseFirstIndex));

const Collator = makeClass('Collator', create, (stateOf) => ({
    resolvedOptions() {
        const state = stateOf(this, 'resolvedOptions');
        const { handle } = state;
        return { ...pick(state, ['locale', 'usage']),
            sensitivity: resolvedSensitivity(handle),
            ignorePunctuation: attribute(handle, alternateIndex) === shifted,
            collation: state.collation ?? 'default',
            numeric: attribute(handle, numericIndex) === on,
            caseFirst: caseFirstOf(handle) };
    },

    get compare() {
        const state = stateOf(this, 'compare');
        const { handle } = state;
        return state.compare ??= nameless((a, b) => compare(handle, `${a}`, `${b}`));
    },
}), true);

// The functions that `compare` and `format` return have no name.
function nameless(method) {
    return Object.defineProperty(method, 'name', { value: '', configurable: true });
}

module.exports = { Collator, nameless, makeOrder: (locales, given) => {
    const { handle } = create(locales, given, 'String.prototype.localeCompare');
    return (a, b) => compare(handle, a, b);
} };
