// SPDX-License-Identifier: MIT
// date -- Intl.DateTimeFormat.
'use strict';

const { makeClass, pick } = require('intl/class');
const { nameless } = require('intl/collator');
const { canonicalList, resolve, numberingSystem, isNumbering, calendars, keywordType } =
    require('intl/locale');
const options = require('intl/options');
const { partsOf, rangePartsOf, hasSpans } = require('intl/parts');
const { fields, styles, cycles, cycleOf, fieldPattern, patternOfStyles, optionsOf,
    skeletonOf } = require('intl/pattern');
const { isCalendar } = require('intl/values');
const { zoneNamed, hostZone } = require('intl/zone');

const { newFormat, format, formatToFields, newInterval, formatRange } = native;
const longestTime = 8.64e15;

// ---- options ----

const ofDate = ['weekday', 'year', 'month', 'day'];
const ofTime = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];

function readFields(wanted, service) {
    const chosen = { __proto__: null };
    for (const [name, values] of Object.entries(fields)) {
        const value = name === 'fractionalSecondDigits'
            ? options.count(wanted, name, 1, 3)
            : options.choose(wanted, name, Object.keys(values), undefined, service);
        if (value !== undefined)
            chosen[name] = value;
    }
    return chosen;
}

// Dates have a date by default, and toLocaleTimeString() has a time.
function addDefaults(chosen, required, defaults) {
    const has = (names) => names.some((name) => chosen[name] !== undefined);
    const needed = { date: ofDate, time: ofTime, any: [...ofDate, ...ofTime] }[required];
    if (has(needed))
        return;
    const added = { __proto__: null };
    for (const [name, kind] of [['year', 'date'], ['month', 'date'], ['day', 'date'],
        ['hour', 'time'], ['minute', 'time'], ['second', 'time']])
        if (defaults === kind || defaults === 'all')
            added[name] = 'numeric';
    for (const name of Object.keys(fields)) { // keep the order of the fields
        const value = added[name] ?? chosen[name];
        delete chosen[name];
        if (value !== undefined)
            chosen[name] = value;
    }
}

function checkStyles({ dateStyle, timeStyle }, chosen, required) {
    const [name] = Object.keys(chosen);
    if (name !== undefined)
        throw new TypeError(`Can't set option ${name} when ` +
            `${dateStyle !== undefined ? 'dateStyle' : 'timeStyle'} is used`);
    if (required === 'date' && timeStyle !== undefined)
        throw new TypeError('Invalid option : timeStyle');
    if (required === 'time' && dateStyle !== undefined)
        throw new TypeError('Invalid option : dateStyle');
}

// The cycle that hour12 stands for, given the one of the locale.
function cycleFor(hour12, usual) {
    const isFromZero = usual === 'h11' || usual === 'h23';
    if (hour12)
        return isFromZero ? 'h11' : 'h12';
    return isFromZero ? 'h23' : 'h24';
}

function readLocale(tags, wanted, service) {
    options.matcher(wanted, service);
    const calendar = options.type(wanted, 'calendar');
    const system = options.type(wanted, 'numberingSystem');
    const hour12 = options.flag(wanted, 'hour12');
    const cycle = options.choose(wanted, 'hourCycle', cycles, undefined, service);
    const isCycle = (value) => cycles.includes(value);
    const resolved = resolve(tags, {
        ca: { option: calendar && (keywordType('ca', calendar) ?? calendar),
            isSupported: isCalendar },
        hc: { option: hour12 === undefined ? cycle : null, isSupported: isCycle },
        nu: { option: system, isSupported: isNumbering },
    }, ['ca', 'nu']);
    if (hour12 !== undefined) {
        const { hc } = resolve(tags, { hc: { isSupported: isCycle } }, []).values;
        resolved.values.hc = cycleFor(hour12, hc ?? cycleOf(resolved.forICU));
    }
    return resolved;
}

function readPattern(state, wanted, { required, defaults, service }) {
    const { forICU, values } = state;
    const chosen = readFields(wanted, service);
    options.choose(wanted, 'formatMatcher', ['basic', 'best fit'], 'best fit', service);
    const dateStyle = options.choose(wanted, 'dateStyle', styles, undefined, service);
    const timeStyle = options.choose(wanted, 'timeStyle', styles, undefined, service);
    if (dateStyle !== undefined || timeStyle !== undefined) {
        checkStyles({ dateStyle, timeStyle }, chosen, required);
        Object.assign(state, { dateStyle, timeStyle });
        return patternOfStyles(forICU, dateStyle, timeStyle, values.hc);
    }
    addDefaults(chosen, required, defaults);
    return fieldPattern(forICU, chosen, values.hc);
}

const usual = { required: 'any', defaults: 'date', service: 'Intl.DateTimeFormat' };

// The kind says which fields must be there, which are there otherwise, and who asks.
function create(locales, given, kind = usual) {
    const { service } = kind;
    const tags = canonicalList(locales);
    const wanted = options.coerce(given, service);
    const state = readLocale(tags, wanted, service);
    const { timeZone } = wanted;
    state.timeZone = timeZone === undefined ? hostZone() : zoneNamed(`${timeZone}`);
    state.pattern = readPattern(state, wanted, kind);
    state.handle = newFormat(state.forICU, state.pattern, state.timeZone);
    return state;
}

// ---- values ----

function timeOf(date) {
    const time = date === undefined ? Date.now() : Number(date);
    return checked(time);
}

function checked(time) {
    if (!(Math.abs(time) <= longestTime))
        throw new RangeError('Invalid time value');
    return Math.trunc(time) + 0;
}

function rangeOf(start, end) {
    if (start === undefined || end === undefined)
        throw new TypeError('Invalid time value');
    const first = Number(start), last = Number(end);
    return [checked(first), checked(last)];
}

// In a text, but not in parts and ranges, V8 keeps the space that CLDR had before 42.
const plain = (text) => text.replaceAll('\u202f', ' ');

// udat.h: UDateFormatField
const types = ['era', 'year', 'month', 'day', 'hour', 'hour', 'minute', 'second',
    'fractionalSecond', 'weekday', 'unknown', 'unknown', 'unknown', 'unknown', 'dayPeriod',
    'hour', 'hour', 'timeZoneName', 'unknown', 'weekday', 'year', 'unknown', 'unknown',
    'timeZoneName', 'timeZoneName', 'weekday', 'month', 'unknown', 'unknown',
    'timeZoneName', 'yearName', 'timeZoneName', 'timeZoneName', 'timeZoneName',
    'relatedYear', 'dayPeriod', 'dayPeriod', 'literal'];
const typeOf = ({ field }) => types[field] ?? 'unknown';

// ---- ranges ----

// The text and fields, or undefined if both ends look the same.
function intervalOf(state, ends) {
    const { forICU, values, pattern, timeZone } = state;
    const tag = values.hc === undefined ? forICU
        : `${forICU}${forICU.includes('-u-') ? '' : '-u'}-hc-${values.hc}`;
    state.interval ??= newInterval(tag, skeletonOf(pattern), timeZone);
    const list = formatRange(state.interval, ...ends);
    return hasSpans(list) ? list : undefined;
}

function shownOptions(state) {
    if (state.dateStyle === undefined && state.timeStyle === undefined)
        return optionsOf(state.pattern);
    const { hourCycle } = optionsOf(state.pattern);
    return { __proto__: null,
        hourCycle: state.timeStyle === undefined ? undefined : hourCycle,
        dateStyle: state.dateStyle, timeStyle: state.timeStyle };
}

const calendarOf = ({ base, values }) =>
    values.ca ?? keywordType('ca', calendars(base)[0]) ?? 'gregory';

const DateTimeFormat = makeClass('DateTimeFormat',
    (locales, given) => create(locales, given), (stateOf) => ({
    resolvedOptions() {
        const state = stateOf(this, 'resolvedOptions');
        const shown = shownOptions(state);
        const { hourCycle } = shown;
        return { locale: state.locale, calendar: calendarOf(state),
            numberingSystem: state.values.nu ?? numberingSystem(state.base),
            timeZone: state.timeZone,
            ...hourCycle === undefined ? {}
                : { hourCycle, hour12: hourCycle === 'h11' || hourCycle === 'h12' },
            ...pick(shown, [...Object.keys(fields), 'dateStyle', 'timeStyle']) };
    },

    formatToParts(date) {
        const { handle } = stateOf(this, 'formatToParts');
        return partsOf(formatToFields(handle, timeOf(date)), typeOf);
    },

    get format() {
        const state = stateOf(this, 'format');
        const { handle } = state;
        return state.format ??= nameless((date) => plain(format(handle, timeOf(date))));
    },

    formatRange(start, end) {
        const state = stateOf(this, 'formatRange');
        const ends = rangeOf(start, end);
        return intervalOf(state, ends)?.[0] ?? plain(format(state.handle, ends[0]));
    },

    formatRangeToParts(start, end) {
        const state = stateOf(this, 'formatRangeToParts');
        const ends = rangeOf(start, end);
        return rangePartsOf(
            intervalOf(state, ends) ?? formatToFields(state.handle, ends[0]), typeOf);
    },
}), true);

module.exports = { DateTimeFormat,
    makeFormat: (locales, given, kind) => {
        const { handle } = create(locales, given, kind);
        return (time) => plain(format(handle, time));
    } };
