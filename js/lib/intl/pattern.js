// SPDX-License-Identifier: MIT
// pattern -- the pattern of ICU for the fields of a date that a program asks for.
//
// Each field of a pattern is a letter that is repeated: the letters and the number
// mean what UTS 35 says.
'use strict';

const { newGenerator, bestPattern, skeletonOf, hourCycle, stylePattern } = native;

const texts = (letter) => ({ narrow: letter.repeat(5), long: letter.repeat(4),
    short: letter.repeat(3) });
const numbers = (letter) => ({ '2-digit': letter.repeat(2), numeric: letter });

// Option -> value -> part of a skeleton, in the order in which they are read.
const fields = {
    weekday: texts('E'),
    era: texts('G'),
    year: { '2-digit': 'yy', numeric: 'y' },
    month: { '2-digit': 'MM', numeric: 'M', ...texts('M') },
    day: numbers('d'),
    dayPeriod: { narrow: 'BBBBB', long: 'BBBB', short: 'B' },
    hour: numbers('j'),
    minute: numbers('m'),
    second: numbers('s'),
    fractionalSecondDigits: { 1: 'S', 2: 'SS', 3: 'SSS' },
    timeZoneName: { long: 'zzzz', short: 'z', longOffset: 'OOOO', shortOffset: 'O',
        longGeneric: 'vvvv', shortGeneric: 'v' },
};
const letters = { h11: 'K', h12: 'h', h23: 'H', h24: 'k' };
const styles = ['full', 'long', 'medium', 'short']; // UDateFormatStyle
const noStyle = -1;

const generators = new Map(); // locale -> generator: expensive
const atMost = 8;

function generatorOf(locale) {
    let generator = generators.get(locale);
    if (generator === undefined) {
        if (generators.size >= atMost)
            generators.delete(generators.keys().next().value);
        generator = newGenerator(locale);
        generators.set(locale, generator);
    }
    return generator;
}

// The runs of one letter, without quoted text.
const runsOf = (pattern) => pattern.replace(/'[^']*'/g, ' ').match(/([a-zA-Z])\1*/g) ?? [];

// Replace the letters of hours by that of the cycle, except in quoted text.
function withCycle(pattern, cycle) {
    let isQuoted = false, last = '', result = '';
    for (const unit of pattern) {
        if (unit === "'")
            isQuoted = !isQuoted;
        if (!isQuoted && /[HhKk]/.test(unit))
            result += (last === 'd' ? ' ' : '') + letters[cycle];
        else
            result += unit;
        last = unit;
    }
    return result;
}

function fieldPattern(locale, chosen, wanted) {
    let skeleton = '', cycle = wanted;
    if (chosen.dayPeriod !== undefined && chosen.hour !== undefined)
        cycle ??= cycleOf(locale); // a `j` would bring AM and PM along
    for (const [name, value] of Object.entries(chosen)) {
        const part = fields[name][value];
        skeleton += name === 'hour' && cycle !== undefined
            ? part.replaceAll('j', letters[cycle]) : part;
    }
    const pattern = bestPattern(generatorOf(locale), skeleton);
    return cycle === undefined ? pattern : withCycle(pattern, cycle);
}

function patternOfStyles(locale, dateStyle, timeStyle, cycle) {
    const pattern = stylePattern(locale,
        dateStyle === undefined ? noStyle : styles.indexOf(dateStyle),
        timeStyle === undefined ? noStyle : styles.indexOf(timeStyle));
    if (timeStyle === undefined || cycle === undefined || cycle === cycleOf(locale))
        return pattern;
    const skeleton = skeletonOf(pattern).replace(/[abB]/g, '')
        .replace(/[HhKk]/g, letters[cycle]);
    return withCycle(bestPattern(generatorOf(locale), skeleton), cycle);
}

const cycleOf = (locale) => hourCycle(generatorOf(locale));

// ---- what a pattern shows ----

const same = { __proto__: null, L: 'M', c: 'E', e: 'E', h: 'j', H: 'j', k: 'j', K: 'j', b: 'B', u: 'y',
    r: 'y', U: 'y' };

// {option: value} of a pattern, and its hourCycle.
function optionsOf(pattern) {
    const found = { __proto__: null };
    for (const run of runsOf(pattern)) {
        const letter = same[run[0]] ?? run[0];
        const cycle = Object.keys(letters).find((key) => letters[key] === run[0]);
        if (cycle !== undefined)
            found.hourCycle = cycle;
        for (const [name, values] of Object.entries(fields)) {
            const parts = Object.entries(values).filter(([, part]) => part[0] === letter);
            const match = parts.find(([, part]) => part.length === run.length) ??
                (letter === 'y' ? parts.at(-1) : undefined);
            if (match !== undefined)
                found[name] = name === 'fractionalSecondDigits' ? Number(match[0])
                    : match[0];
        }
    }
    return found;
}

module.exports = { fields, styles, cycles: Object.keys(letters), cycleOf, fieldPattern,
    patternOfStyles, optionsOf, skeletonOf };
