// SPDX-License-Identifier: MIT
// relative -- Intl.RelativeTimeFormat.
'use strict';

const { makeClass, pick } = require('intl/class');
const { canonicalList, resolve, numberingSystem, isNumbering } = require('intl/locale');
const options = require('intl/options');
const { eachRun } = require('intl/parts');

const { newRelative, format } = native;
const service = 'Intl.RelativeTimeFormat';
const styles = ['long', 'short', 'narrow']; // ureldatefmt.h
const units = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'];

function create(locales, given) {
    const tags = canonicalList(locales);
    const wanted = options.coerce(given, service);
    options.matcher(wanted, service);
    const system = options.type(wanted, 'numberingSystem');
    const { base, locale, values, forICU } =
        resolve(tags, { nu: { option: system, isSupported: isNumbering } }, ['nu']);
    const style = options.choose(wanted, 'style', styles, 'long', service);
    const numeric = options.choose(wanted, 'numeric', ['always', 'auto'], 'always', service);
    return { base, locale, style, numeric, numberingSystem: values.nu,
        handle: newRelative(forICU, styles.indexOf(style)) };
}

function unitOf(given, method) {
    const unit = `${given}`, singular = unit.replace(/s$/, '');
    if (!units.includes(singular))
        throw new RangeError(
            `Invalid unit argument for ${service}.prototype.${method}() '${unit}'`);
    return singular;
}

// The text and fields, and the unit.
function listOf({ handle, numeric }, value, unit, method) {
    const number = Number(value), name = unitOf(unit, method);
    if (!Number.isFinite(number))
        throw new RangeError(
            `Value need to be finite number for ${service}.prototype.${method}()`);
    return { name,
        list: format(handle, number, units.indexOf(name), numeric === 'always') };
}

// unum.h: UNumberFormatFields
const types = ['integer', 'fraction', 'decimal', '', '', '', 'group'];

// Literals around the parts of the number, each with its unit.
function partsOf([text, ...numbers], unit) {
    const kept = [];
    for (let i = 0; i < numbers.length; i += 4)
        if (numbers[i] === 2 && numbers[i + 1] < types.length) // UFIELD_CATEGORY_NUMBER
            kept.push(...numbers.slice(i, i + 4));
    const parts = [];
    eachRun([text, ...kept], (value, field) => parts.push(field === undefined
        ? { type: 'literal', value } : { type: types[field.field], value, unit }));
    return parts;
}

const RelativeTimeFormat = makeClass('RelativeTimeFormat', create, (stateOf) => ({
    resolvedOptions() {
        const state = stateOf(this, 'resolvedOptions');
        state.numberingSystem ??= numberingSystem(state.base);
        return pick(state, ['locale', 'style', 'numeric', 'numberingSystem']);
    },

    format(value, unit) {
        return listOf(stateOf(this, 'format'), value, unit, 'format').list[0];
    },

    formatToParts(value, unit) {
        const { list, name } =
            listOf(stateOf(this, 'formatToParts'), value, unit, 'formatToParts');
        return partsOf(list, name);
    },
}));

module.exports = { RelativeTimeFormat };
