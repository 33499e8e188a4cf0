// SPDX-License-Identifier: MIT
// values -- Intl.supportedValuesOf, and what options may be.
'use strict';

const { isNumbering, keywordType } = require('intl/locale');

const units = ['acre', 'bit', 'byte', 'celsius', 'centimeter', 'day', 'degree',
    'fahrenheit', 'fluid-ounce', 'foot', 'gallon', 'gigabit', 'gigabyte', 'gram',
    'hectare', 'hour', 'inch', 'kilobit', 'kilobyte', 'kilogram', 'kilometer', 'liter',
    'megabit', 'megabyte', 'meter', 'microsecond', 'mile', 'mile-scandinavian',
    'milliliter', 'millimeter', 'millisecond', 'minute', 'month', 'nanosecond', 'ounce',
    'percent', 'petabyte', 'pound', 'second', 'stone', 'terabit', 'terabyte', 'week',
    'yard', 'year'];

const typesOf = (key, names) => [...new Set(names.map((name) =>
    keywordType(key, name) ?? name))];

let calendars;

const calendarNames = () => calendars ??= typesOf('ca', native.calendars()).sort();

const lists = {
    calendar: calendarNames,
    collation: () => typesOf('co', native.collations())
        .filter((name) => name !== 'standard' && name !== 'search'),
    currency: () => native.currencies(),
    numberingSystem: () => native.systems().filter(isNumbering),
    timeZone: () => [...new Set(native.zones().map((name) =>
        name === 'Etc/UTC' || name === 'Etc/GMT' ? 'UTC' : name))],
    unit: () => [...units],
};

function valuesOf(key) {
    const name = `${key}`;
    if (!Object.hasOwn(lists, name))
        throw new RangeError(`Invalid key : ${name}`);
    return lists[name]().sort();
}

module.exports = { valuesOf, units, currencyDigits: native.digits,
    isCalendar: (name) => calendarNames().includes(name) };
