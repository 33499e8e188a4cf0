// SPDX-License-Identifier: MIT
// intl -- the object Intl.  The data are ICU's.
'use strict';

const { hide } = require('intl/class');
const { canonicalList } = require('intl/locale');

const Intl = {};
hide(Intl, {
    getCanonicalLocales(locales) {
        return canonicalList(locales);
    },
    supportedValuesOf(key) {
        return require('intl/values').valuesOf(key);
    },
    DateTimeFormat: require('intl/date').DateTimeFormat,
    NumberFormat: require('intl/number').NumberFormat,
    Collator: require('intl/collator').Collator,
    PluralRules: require('intl/plural').PluralRules,
    RelativeTimeFormat: require('intl/relative').RelativeTimeFormat,
    ListFormat: require('intl/list').ListFormat,
    Segmenter: require('intl/segmenter').Segmenter,
});
Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });

module.exports = Intl;
