// SPDX-License-Identifier: MIT
// functions -- toLocaleString, localeCompare and their kin, for the engine.
//
// Each gets the primitive value of the receiver, and the arguments.  What the last
// calls needed is kept, if their locales were strings and they had no options.
'use strict';

const { canonicalList, standard } = require('intl/locale');

const { setHooks, upper, lower, isSpecial } = native;

// Call make(locales, options), or use what an earlier call made.
function cached(make) {
    const made = new Map();
    return (locales, given, extra = '') => {
        if (given !== undefined || (locales !== undefined && typeof locales !== 'string'))
            return make(locales, given);
        const key = `${locales} ${extra}`;
        let found = made.get(key);
        if (found === undefined) {
            if (made.size >= 8)
                made.clear();
            found = make(locales, given);
            made.set(key, found);
        }
        return found;
    };
}

const numberFormat = cached((locales, given) =>
    require('intl/number').makeFormat(locales, given));
const order = cached((locales, given) => require('intl/collator').makeOrder(locales, given));

const formatNumber = (value, locales, given) =>
    numberFormat(locales, given)(typeof value === 'bigint' ? `${value}` : value);

function dateFunction(name, required, defaults) {
    const kind = { required, defaults, service: `Date.prototype.${name}` };
    const dateFormat = cached((locales, given) =>
        require('intl/date').makeFormat(locales, given, kind));
    return (time, locales, given) => Number.isNaN(time) ? 'Invalid Date'
        : dateFormat(locales, given, require('intl/zone').hostZone())(time);
}

const compare = (text, that, locales, given) => {
    const other = `${that}`;
    return order(locales, given)(text, other);
};

const special = ['az', 'el', 'lt', 'tr'];

function caseFunction(plainly, change) {
    return (text, locales) => {
        if (locales === undefined && !isSpecial())
            return plainly(text);
        const [tag = standard()] = canonicalList(locales);
        const [language] = tag.split('-');
        return special.includes(language) ? change(text, language) : plainly(text);
    };
}

// JS_LOCALE_NUMBER and so on, in that order
setHooks([
    formatNumber,
    dateFunction('toLocaleString', 'any', 'all'),
    dateFunction('toLocaleDateString', 'date', 'date'),
    dateFunction('toLocaleTimeString', 'time', 'time'),
    compare,
    caseFunction((text) => text.toUpperCase(), upper),
    caseFunction((text) => text.toLowerCase(), lower),
]);
