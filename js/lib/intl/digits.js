// SPDX-License-Identifier: MIT
// digits -- how many digits a number gets, and how it is rounded:
// SetNumberFormatDigitOptions of ECMA-402.
'use strict';

const options = require('intl/options');

const increments = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
const modes = { // their names in ICU's skeletons
    ceil: 'ceiling', floor: 'floor', expand: 'up', trunc: 'down',
    halfCeil: 'half-ceiling', halfFloor: 'half-floor', halfExpand: 'half-up',
    halfTrunc: 'half-down', halfEven: 'half-even',
};
const mostFraction = 20, mostSignificant = 21;

function readSignificant(digits, least, most) {
    digits.minimumSignificantDigits =
        options.inRange(least, 'minimumSignificantDigits', 1, mostSignificant, 1);
    digits.maximumSignificantDigits = options.inRange(most, 'maximumSignificantDigits',
        digits.minimumSignificantDigits, mostSignificant, mostSignificant);
}

function readFraction(digits, given, leastDefault, mostDefault) {
    let least = options.inRange(given.least, 'minimumFractionDigits', 0, mostFraction);
    let most = options.inRange(given.most, 'maximumFractionDigits', 0, mostFraction);
    least ??= Math.min(leastDefault, most ?? mostDefault);
    most ??= Math.max(mostDefault, least);
    if (least > most)
        throw new RangeError('maximumFractionDigits value is out of range.');
    digits.minimumFractionDigits = least;
    digits.maximumFractionDigits = most;
}

function readRounding(wanted, service) {
    const increment = options.count(wanted, 'roundingIncrement', 1, 5000, 1);
    if (!increments.includes(increment))
        throw new RangeError('roundingIncrement value is out of range.');
    return {
        increment,
        mode: options.choose(wanted, 'roundingMode', Object.keys(modes), 'halfExpand',
            service),
        priority: options.choose(wanted, 'roundingPriority',
            ['auto', 'morePrecision', 'lessPrecision'], 'auto',
            'SetNumberFormatDigitOptions'),
        trailingZero: options.choose(wanted, 'trailingZeroDisplay',
            ['auto', 'stripIfInteger'], 'auto', service),
    };
}

// Which kinds of digits count.
function readKinds(digits, given, defaults, rounding) {
    const { significant, fraction } = given;
    const hasSignificant = significant.some((value) => value !== undefined);
    const hasFraction = fraction.some((value) => value !== undefined);
    const isAuto = rounding.priority === 'auto';
    const needsSignificant = !isAuto || hasSignificant;
    const needsFraction = !isAuto || !(hasSignificant ||
        (!hasFraction && defaults.isCompact));
    if (needsSignificant)
        readSignificant(digits, ...significant);
    if (needsFraction)
        readFraction(digits, { least: fraction[0], most: fraction[1] }, defaults.least,
            defaults.most);
    if (needsSignificant || needsFraction) {
        digits.roundingPriority = rounding.priority;
        return isAuto && !needsSignificant;
    }
    Object.assign(digits, { minimumFractionDigits: 0, maximumFractionDigits: 0,
        minimumSignificantDigits: 1, maximumSignificantDigits: 2,
        roundingPriority: 'morePrecision' });
    return false;
}

// defaults: {least, most} digits of the fraction, isCompact
function readDigits(wanted, defaults, service) {
    const digits = { __proto__: null,
        minimumIntegerDigits: options.count(wanted, 'minimumIntegerDigits', 1, 21, 1) };
    const given = {
        fraction: [wanted.minimumFractionDigits, wanted.maximumFractionDigits],
        significant: [wanted.minimumSignificantDigits, wanted.maximumSignificantDigits],
    };
    const rounding = readRounding(wanted, service);
    const most = rounding.increment === 1 ? defaults.most : defaults.least;
    const isOnlyFraction = readKinds(digits, given, { ...defaults, most }, rounding);
    if (rounding.increment !== 1) {
        if (!isOnlyFraction)
            throw new TypeError('RoundingType is not fractionDigits');
        if (digits.minimumFractionDigits !== digits.maximumFractionDigits)
            throw new RangeError(
                'maximumFractionDigits not equal to minimumFractionDigits');
    }
    return Object.assign(digits, { roundingMode: rounding.mode,
        roundingIncrement: rounding.increment, trailingZeroDisplay: rounding.trailingZero });
}

// ---- the same in ICU's language ----

function precision(digits) {
    const { minimumFractionDigits: least, maximumFractionDigits: most,
        minimumSignificantDigits: leastSignificant,
        maximumSignificantDigits: mostSignificant, roundingIncrement, roundingPriority,
    } = digits;
    const significant = leastSignificant === undefined ? '' : '@'.repeat(leastSignificant) +
        '#'.repeat(mostSignificant - leastSignificant);
    if (least === undefined)
        return significant;
    if (roundingIncrement !== 1) {
        const text = `${roundingIncrement}`.padStart(most + 1, '0');
        return `precision-increment/${text.slice(0, text.length - most)}` +
            (most === 0 ? '' : `.${text.slice(-most)}`);
    }
    const fraction = most === 0 ? 'precision-integer'
        : `.${'0'.repeat(least)}${'#'.repeat(most - least)}`;
    return significant === '' ? fraction
        : `${fraction}/${significant}${roundingPriority === 'lessPrecision' ? 's' : 'r'}`;
}

function digitSkeleton(digits) {
    const strip = digits.trailingZeroDisplay === 'stripIfInteger' ? '/w' : '';
    return `${precision(digits)}${strip} integer-width/*` +
        `${'0'.repeat(digits.minimumIntegerDigits)} ` +
        `rounding-mode-${modes[digits.roundingMode]}`;
}

const shownDigits = ['minimumIntegerDigits', 'minimumSignificantDigits',
    'maximumSignificantDigits', 'minimumFractionDigits', 'maximumFractionDigits'];

module.exports = { readDigits, digitSkeleton, shownDigits };
