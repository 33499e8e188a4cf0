// SPDX-License-Identifier: MIT
// number -- Intl.NumberFormat.
'use strict';

const { makeClass, pick } = require('intl/class');
const { nameless } = require('intl/collator');
const { readDigits, digitSkeleton, shownDigits } = require('intl/digits');
const { canonicalList, resolve, numberingSystem, isNumbering } = require('intl/locale');
const options = require('intl/options');
const { partsOf, rangePartsOf } = require('intl/parts');
const { currencyDigits, units } = require('intl/values');

const { newNumber, newRange, format, formatToFields, formatRange } = native;
const constructor = 'Intl.NumberFormat';

// ---- options ----

function isUnit(text) {
    const [of, per, ...more] = text.split('-per-');
    return more.length === 0 && units.includes(of) &&
        (per === undefined || units.includes(per));
}

function readCurrency(state, wanted, service) {
    const { currency } = wanted;
    const code = currency === undefined ? undefined : `${currency}`;
    if (code !== undefined && !/^[a-z]{3}$/i.test(code))
        throw new RangeError(`Invalid currency code : ${code}`);
    if (code === undefined && state.style === 'currency')
        throw new TypeError('Currency code is required with currency style.');
    const display = options.choose(wanted, 'currencyDisplay',
        ['code', 'symbol', 'name', 'narrowSymbol'], 'symbol', service);
    const sign = options.choose(wanted, 'currencySign', ['standard', 'accounting'],
        'standard', service);
    if (state.style === 'currency')
        Object.assign(state, { currency: code.toUpperCase(), currencyDisplay: display,
            currencySign: sign });
}

function readUnit(state, wanted, service) {
    const { unit } = wanted;
    const name = unit === undefined ? undefined : `${unit}`;
    if (name !== undefined && !isUnit(name))
        throw new RangeError(`Invalid unit argument for ${constructor}() '${name}'`);
    if (name === undefined && state.style === 'unit')
        throw new TypeError(`Invalid unit argument for ${constructor}() ''`);
    const display = options.choose(wanted, 'unitDisplay', ['short', 'narrow', 'long'],
        'short', service);
    if (state.style === 'unit')
        Object.assign(state, { unit: name, unitDisplay: display });
}

function readGrouping(state, wanted, service) {
    const fallback = state.notation === 'compact' ? 'min2' : 'auto';
    const { useGrouping } = wanted;
    if (useGrouping === undefined)
        return fallback;
    if (useGrouping === true)
        return 'always';
    if (!useGrouping)
        return false;
    const text = `${useGrouping}`;
    if (text === 'true' || text === 'false')
        return fallback;
    return options.choose({ useGrouping }, 'useGrouping', ['min2', 'auto', 'always'],
        fallback, service);
}

function defaultDigits({ style, currency, notation }) {
    const isCompact = notation === 'compact';
    if (style === 'currency' && notation === 'standard') {
        const digits = currencyDigits(currency);
        return { least: digits, most: digits, isCompact };
    }
    return { least: 0, most: style === 'decimal' || style === 'unit' ? 3 : 0, isCompact };
}

function readOptions(state, wanted, service) {
    state.style = options.choose(wanted, 'style',
        ['decimal', 'percent', 'currency', 'unit'], 'decimal', service);
    readCurrency(state, wanted, service);
    readUnit(state, wanted, service);
    state.notation = options.choose(wanted, 'notation',
        ['standard', 'scientific', 'engineering', 'compact'], 'standard', service);
    state.digits = readDigits(wanted, defaultDigits(state), service);
    const compact = options.choose(wanted, 'compactDisplay', ['short', 'long'], 'short',
        service);
    if (state.notation === 'compact')
        state.compactDisplay = compact;
    state.useGrouping = readGrouping(state, wanted, service);
    state.signDisplay = options.choose(wanted, 'signDisplay',
        ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto', service);
}

// ---- the skeleton ----

const widths = { short: 'short', narrow: 'narrow', long: 'full-name', symbol: 'short',
    narrowSymbol: 'narrow', code: 'iso-code', name: 'full-name' };
const groupings = { false: 'group-off', min2: 'group-min2', auto: 'group-auto',
    always: 'group-on-aligned' };
const signs = { auto: ['sign-auto', 'sign-accounting'],
    always: ['sign-always', 'sign-accounting-always'],
    exceptZero: ['sign-except-zero', 'sign-accounting-except-zero'],
    negative: ['sign-negative', 'sign-accounting-negative'],
    never: ['sign-never', 'sign-never'] };

function measure({ style, currency, currencyDisplay, unit, unitDisplay }) {
    switch (style) {
    case 'percent':
        return 'percent scale/100 ';
    case 'currency':
        return `currency/${currency} unit-width-${widths[currencyDisplay]} `;
    case 'unit':
        return `unit/${unit} unit-width-${widths[unitDisplay]} `;
    default:
        return '';
    }
}

function skeletonOf(state) {
    const { notation, compactDisplay, useGrouping, signDisplay, currencySign } = state;
    const notations = { standard: '', scientific: 'scientific ',
        engineering: 'engineering ', compact: `compact-${compactDisplay} ` };
    return `${measure(state)}${notations[notation]}${groupings[useGrouping]} ` +
        `${signs[signDisplay][currencySign === 'accounting' ? 1 : 0]} ` +
        digitSkeleton(state.digits);
}

function create(locales, given, service = constructor) {
    const tags = canonicalList(locales);
    const wanted = options.coerce(given, service);
    options.matcher(wanted, service);
    const system = options.type(wanted, 'numberingSystem');
    if (system !== undefined && system.length < 3)
        throw new RangeError(`Invalid numberingSystem : ${system}`);
    const { base, locale, values, forICU } =
        resolve(tags, { nu: { option: system, isSupported: isNumbering } }, ['nu']);
    const state = { __proto__: null, locale, forICU, base, system: values.nu };
    readOptions(state, wanted, service);
    state.skeleton = skeletonOf(state);
    state.handle = newNumber(forICU, state.skeleton);
    return state;
}

// ---- values ----

const decimal = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?$/;

// A number, or a string of digits for what a number cannot hold.
function numericOf(value) {
    let primitive = value;
    if (typeof value === 'object' || typeof value === 'function')
        primitive = value === null ? 0 : toPrimitive(value);
    if (typeof primitive === 'bigint')
        return `${primitive}`;
    if (typeof primitive !== 'string')
        return Number(primitive);
    const text = primitive.trim(), number = Number(text);
    return decimal.test(text) && !Object.is(number, -0) && Number.isFinite(number)
        ? text.replace(/^\+/, '') : number;
}

function toPrimitive(value) {
    const exotic = value[Symbol.toPrimitive];
    if (exotic !== undefined && exotic !== null) {
        const result = Reflect.apply(exotic, value, ['number']);
        if (typeof result !== 'object' && typeof result !== 'function')
            return result;
        throw new TypeError('Cannot convert object to primitive value');
    }
    for (const name of ['valueOf', 'toString'])
        if (typeof value[name] === 'function') {
            const result = value[name]();
            if (result === null || (typeof result !== 'object' &&
                typeof result !== 'function'))
                return result ?? (result === null ? 0 : NaN);
        }
    throw new TypeError('Cannot convert object to primitive value');
}

const isNegative = (value) => typeof value === 'string' ? value.startsWith('-')
    : value < 0 || Object.is(value, -0);

// unum.h: UNumberFormatFields
const types = ['integer', 'fraction', 'decimal', 'exponentSeparator', 'exponentMinusSign',
    'exponentInteger', 'group', 'currency', 'percentSign', 'percentSign', '', 'unit',
    'compact', 'approximatelySign'];
const integerField = 0, percentField = 8, signField = 10;

// The type of a field of a number.
function typeOf({ field }, value, style) {
    switch (field) {
    case integerField:
        return Number.isNaN(Number(value)) ? 'nan'
            : typeof value === 'number' && !Number.isFinite(value) ? 'infinity' : 'integer';
    case signField:
        return isNegative(value) ? 'minusSign' : 'plusSign';
    case percentField:
        return style === 'unit' ? 'unit' : 'percentSign';
    default:
        return types[field] ?? 'literal';
    }
}

// ---- ranges ----

function readEnd(value, name) {
    if (value === undefined)
        throw new TypeError(`Invalid ${name} : undefined`);
    const number = numericOf(value);
    if (Number.isNaN(number))
        throw new RangeError(`Invalid ${name} : NaN`);
    return number;
}

function fieldsOfRange(state, first, last) {
    const ends = [readEnd(first, 'start'), readEnd(last, 'end')];
    state.range ??= newRange(state.forICU, state.skeleton);
    return { ends, list: formatRange(state.range, ...ends.map(String)) };
}

const NumberFormat = makeClass('NumberFormat', create, (stateOf) => ({
    resolvedOptions() {
        const state = stateOf(this, 'resolvedOptions');
        const { base, digits } = state;
        state.system ??= numberingSystem(base);
        return { locale: state.locale, numberingSystem: state.system,
            ...pick(state, ['style', 'currency', 'currencyDisplay', 'currencySign', 'unit',
                'unitDisplay']),
            ...pick(digits, shownDigits),
            ...pick(state, ['useGrouping', 'notation', 'compactDisplay', 'signDisplay']),
            ...pick(digits, ['roundingMode', 'roundingIncrement', 'trailingZeroDisplay',
                'roundingPriority']) };
    },

    formatToParts(value) {
        const { handle, style } = stateOf(this, 'formatToParts');
        const number = numericOf(value);
        return partsOf(formatToFields(handle, number), (field) =>
            typeOf(field, number, style));
    },

    get format() {
        const state = stateOf(this, 'format');
        const { handle } = state;
        return state.format ??= nameless((value) => format(handle, numericOf(value)));
    },

    formatRange(start, end) {
        return fieldsOfRange(stateOf(this, 'formatRange'), start, end).list[0];
    },

    formatRangeToParts(start, end) {
        const state = stateOf(this, 'formatRangeToParts');
        const { list, ends } = fieldsOfRange(state, start, end);
        return rangePartsOf(list, (field, text, source) =>
            typeOf(field, ends[source === 'endRange' ? 1 : 0], state.style));
    },
}), true);

module.exports = { NumberFormat, newNumber, newRange, numericOf,
    makeFormat: (locales, given) => {
        const { handle } = create(locales, given, 'Number.prototype.toLocaleString');
        return (value) => format(handle, value);
    } };
