// SPDX-License-Identifier: MIT
// locale -- lists of locales, and which of them is used.
'use strict';

const { canonicalize, keywordsOf } = require('intl/tag');
const options = require('intl/options');

const { alias, likely, keywordType, has, initial } = native;

// What V8 says depends on whether the tag begins like one.
const beginsWell =
    /^([a-z]{2,3}|[a-z]{5,8})(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-([a-z\d]{5,8}|\d[a-z\d]{3}))*(-?$|-[a-z\d](-|$))/i;

const data = { alias, likely, keywordType };
const known = new Map(); // tag -> canonical tag
const atMost = 200;
const longest = 100; // of what is kept, and of the tags of ICU's locales

function canonical(tag) {
    let found = known.get(tag);
    if (found === undefined) {
        found = canonicalize(tag, data);
        if (found === undefined)
            throw new RangeError(beginsWell.test(tag) ? `Invalid language tag: ${tag}`
                : 'Incorrect locale information provided');
        if (known.size >= atMost)
            known.clear();
        if (tag.length <= longest)
            known.set(tag, found);
    }
    return found;
}

// The canonical tags that an argument of a program stands for.
function canonicalList(locales) {
    if (locales === undefined)
        return [];
    if (typeof locales === 'string')
        return [canonical(locales)];
    if (locales === null)
        throw new TypeError('Cannot convert undefined or null to object');
    const object = Object(locales), list = [];
    const length = Math.min(Math.max(Math.trunc(Number(object.length)) || 0, 0),
        Number.MAX_SAFE_INTEGER);
    for (let i = 0; i < length; i++) {
        if (!(i in object))
            continue;
        const value = object[i];
        if (typeof value !== 'string' && (typeof value !== 'object' || value === null) &&
            typeof value !== 'function')
            throw new TypeError('Language ID should be string or object.');
        const tag = canonical(`${value}`);
        if (!list.includes(tag))
            list.push(tag);
    }
    return list;
}

const withoutExtensions = (tag) => tag.replace(/-[a-z0-9]-.*/, '');

const available = new Map(); // tag and data -> whether ICU has it

function isAvailable(tag, data) {
    if (tag.length > longest)
        return false;
    const key = `${tag} ${data}`;
    let found = available.get(key);
    if (found === undefined) {
        found = !tag.startsWith('und') && has(tag, data === 'collations');
        if (available.size >= atMost)
            available.clear();
        available.set(key, found);
    }
    return found;
}

// The tag or the longest beginning of it that ICU knows, or undefined.
function best(tag, data) {
    let rest = tag;
    for (;;) {
        if (isAvailable(rest, data))
            return rest;
        let end = rest.lastIndexOf('-');
        if (end < 0)
            return undefined;
        if (end >= 2 && rest[end - 2] === '-')
            end -= 2;
        rest = rest.slice(0, end);
    }
}

let fallback;

// The locale of the environment.
function standard() {
    if (fallback === undefined) {
        const tag = initial();
        fallback = tag.startsWith('en-US-u-va-posix') || tag === 'und' ? 'en-US'
            : best(withoutExtensions(canonical(tag)), 'locales') ?? 'en-US';
    }
    return fallback;
}

// The first of the tags that is available, and the keywords of its extension.
function match(tags, data) {
    for (const tag of tags) {
        const found = best(withoutExtensions(tag), data);
        if (found !== undefined) {
            const [extension] =
                /-u(-[a-z0-9]{2,8})+/.exec(tag.replace(/-x-.*/, '')) ?? [''];
            return { base: found, keywords: keywordsOf(extension.split('-').slice(2)).keywords };
        }
    }
    return { base: standard(), keywords: new Map() };
}

// Resolve the locale.  `keys` has a row for each keyword that counts: what the
// option says (undefined: nothing, null: nothing, nor does the tag), and
// whether a value is supported.  Returns the base, the locale as resolvedOptions
// shows it, the values, and the tag for ICU, which has `passed` of them.
function resolve(tags, keys, passed, data = 'locales') {
    const { base, keywords } = match(tags, data);
    const values = {};
    let shown = '', forICU = '';
    for (const [key, { option, isSupported }] of Object.entries(keys)) {
        let value, addition = '';
        if (option !== null && keywords.has(key)) {
            const given = keywords.get(key) || 'true';
            if (isSupported(given, base)) {
                value = given;
                addition = given === 'true' ? `-${key}` : `-${key}-${given}`;
            }
        }
        if (option !== undefined && option !== null && option !== value &&
            isSupported(option, base)) {
            value = option;
            addition = '';
        }
        values[key] = value;
        shown += addition;
        if (value !== undefined && passed.includes(key))
            forICU += `-${key}-${value}`;
    }
    return { base, values, locale: shown === '' ? base : `${base}-u${shown}`,
        forICU: forICU === '' ? base : `${base}-u${forICU}` };
}

// The tags that the class of that name supports.
function supported(locales, given, name) {
    const tags = canonicalList(locales);
    const data = name === 'Collator' ? 'collations' : 'locales';
    const service = `Intl.${name}.supportedLocalesOf`;
    options.matcher(options.coerce(given, service), service);
    return tags.filter((tag) => best(withoutExtensions(tag), data) !== undefined);
}

const { numberingSystem, isDigital } = native;
const digital = new Map();

// Whether numbers can be written in this system, digit by digit.
function isNumbering(name) {
    if (!digital.has(name))
        digital.set(name, !['native', 'traditio', 'finance'].includes(name) && isDigital(name));
    return digital.get(name);
}

module.exports = { canonicalList, canonical, standard, match, resolve, supported,
    numberingSystem, isNumbering, likely, keywordType,
    calendars: native.calendars, collations: native.collations };
