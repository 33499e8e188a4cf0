// SPDX-License-Identifier: MIT
// tag -- language tags: their syntax, and their canonical form.
//
// The syntax is unicode_bcp47_locale_id of UTS 35, and the canonical form that of
// its annex C.  The replacements come from ICU.
'use strict';

const alnum = '[a-z0-9]';
const end = `(?!${alnum})`; // of a subtag
const variantSyntax = `(?:${alnum}{5,8}|[0-9]${alnum}{3})${end}`;
const languageSyntax = `([a-z]{2,3}|[a-z]{5,8})${end}(?:-([a-z]{4})${end})?` +
    `(?:-([a-z]{2}|[0-9]{3})${end})?((?:-${variantSyntax})*)`;
const unicodeSyntax =
    `u(?:(?:-${alnum}{3,8})+(?:-${alnum}[a-z](?:-${alnum}{3,8})*)*` +
    `|(?:-${alnum}[a-z](?:-${alnum}{3,8})*)+)`;
const field = `[a-z][0-9](?:-${alnum}{3,8})+`;
const transformedSyntax =
    `t(?:-${languageSyntax.replace(/\((?!\?)/g, '(?:')}(?:-${field})*|(?:-${field})+)`;
const otherSyntax = `[0-9a-svwyz](?:-${alnum}{2,8})+`;
const whole = new RegExp(`^${languageSyntax}` +
    `((?:-(?:${unicodeSyntax}|${transformedSyntax}|${otherSyntax}))*)` +
    `(-x(?:-${alnum}{1,8})+)?$`);
const language = new RegExp(`^${languageSyntax}`);

const title = (text) => text[0].toUpperCase() + text.slice(1);

const subtagsOf = (text) => text === '' ? [] : text.slice(1).split('-');

function hasTwice(list) {
    return new Set(list).size !== list.length;
}

// [[singleton, ...subtags], ...]
function extensionsOf(text) {
    const found = [];
    for (const subtag of subtagsOf(text))
        if (subtag.length === 1)
            found.push([subtag]);
        else
            found.at(-1).push(subtag);
    return found;
}

// ---- the language, script, region and variants ----

function replaceLanguage(parts, alias) {
    const keys = [
        ...parts.variants.map((variant) => [`${parts.language}_${variant}`, variant]),
        ...parts.variants.map((variant) => [`und_${variant}`, variant]),
        [`und_${parts.variants.join('_')}`, ...parts.variants],
    ];
    if (parts.region)
        keys.push([`${parts.language}_${parts.region}`]);
    keys.push([parts.language]);
    for (const [key, ...variants] of keys) {
        const text = alias('language', key);
        if (text === undefined)
            continue;
        const to = language.exec(text.toLowerCase().replaceAll('_', '-'));
        if (!key.startsWith('und_') || to[1] !== 'und')
            parts.language = to[1];
        if (key.endsWith(`_${parts.region}`))
            parts.region = undefined;
        parts.script ??= to[2];
        parts.region ??= to[3]?.toUpperCase();
        parts.variants = [...parts.variants.filter((other) => !variants.includes(other)),
            ...subtagsOf(to[4])];
        return true;
    }
    return false;
}

// A territory that was divided: the part where the language is at home.
function replaceRegion(parts, { alias, likely }) {
    const text = alias('territory', parts.region);
    if (text === undefined)
        return;
    const choices = text.split(' ');
    const home = choices.length > 1
        ? likely(parts.script ? `${parts.language}-${parts.script}` : parts.language)
            .split('-').pop() : '';
    parts.region = choices.includes(home) ? home : choices[0];
}

function canonicalLanguage(match, data) {
    const parts = { language: match[1], script: match[2],
        region: match[3]?.toUpperCase(), variants: subtagsOf(match[4]) };
    for (let steps = 0; steps < 4 && replaceLanguage(parts, data.alias); steps++);
    if (parts.script)
        parts.script = title(data.alias('script', title(parts.script)) ?? parts.script);
    if (parts.region)
        replaceRegion(parts, data);
    parts.variants = parts.variants.map((variant) =>
        (data.alias('variant', variant) ?? variant).toLowerCase());
    return [parts.language, parts.script, parts.region,
        ...[...new Set(parts.variants)].sort()].filter(Boolean).join('-');
}

// ---- extensions ----

function canonicalType(key, given, { alias, keywordType }) {
    let type = given;
    if (key === 'rg' || key === 'sd') {
        type = (alias('subdivision', type) ?? type).split(' ')[0].toLowerCase();
        return type.length === 2 ? `${type}zzzz` : type;
    }
    const found = type === '' ? undefined : keywordType(key, type)?.toLowerCase();
    if (found !== undefined && /^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/.test(found))
        type = found;
    return type === 'true' || (type === 'yes' && /^k[bchkn]$/.test(key)) ? '' : type;
}

// { attributes, keywords: Map } of the subtags after the u
function keywordsOf(subtags) {
    const attributes = [], keywords = new Map();
    let key, isNew;
    for (const subtag of subtags)
        if (subtag.length === 2) {
            key = subtag;
            isNew = !keywords.has(key);
            if (isNew)
                keywords.set(key, '');
        } else if (key === undefined) {
            attributes.push(subtag);
        } else if (isNew) {
            keywords.set(key, keywords.get(key) === '' ? subtag
                : `${keywords.get(key)}-${subtag}`);
        }
    return { attributes, keywords };
}

function canonicalUnicode(subtags, data) {
    const { attributes, keywords } = keywordsOf(subtags);
    const list = ['u', ...[...new Set(attributes)].sort()];
    for (const key of [...keywords.keys()].sort()) {
        const type = canonicalType(key, keywords.get(key), data);
        list.push(type === '' ? key : `${key}-${type}`);
    }
    return list.join('-');
}

function canonicalTransformed(subtags, data) {
    const text = subtags.join('-');
    const start = subtags.findIndex((subtag) => /^[a-z][0-9]$/.test(subtag));
    const tag = (start < 0 ? subtags : subtags.slice(0, start)).join('-');
    const list = ['t'];
    if (tag !== '')
        list.push(canonicalLanguage(language.exec(tag), data).toLowerCase());
    const fields = start < 0 ? [] : text.slice(tag === '' ? 0 : tag.length + 1)
        .match(new RegExp(field, 'g'));
    return [...list, ...fields.sort()].join('-');
}

function canonicalExtension([singleton, ...subtags], data) {
    switch (singleton) {
    case 'u': return canonicalUnicode(subtags, data);
    case 't': return canonicalTransformed(subtags, data);
    default: return [singleton, ...subtags].join('-');
    }
}

// The canonical form, or undefined if it is not a language tag.  data is alias,
// likely and keywordType of intl/locale.
function canonicalize(given, data) {
    const match = whole.exec(given.toLowerCase());
    if (match === null)
        return undefined;
    const extensions = extensionsOf(match[5]);
    const transformed = extensions.find(([singleton]) => singleton === 't');
    const inner = transformed && language.exec(transformed.slice(1).join('-'));
    if (hasTwice(subtagsOf(match[4])) || hasTwice(extensions.map(([first]) => first)) ||
        (inner && hasTwice(subtagsOf(inner[4]))))
        return undefined;
    return [canonicalLanguage(match, data),
        ...extensions.map((extension) => canonicalExtension(extension, data)).sort(),
    ].join('-') + (match[6] ?? '');
}

module.exports = { canonicalize, keywordsOf };
