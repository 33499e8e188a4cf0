// SPDX-License-Identifier: MIT
// segmenter -- Intl.Segmenter.
'use strict';

const { makeClass, makeField, hide, pick } = require('intl/class');
const { canonicalList, resolve } = require('intl/locale');
const options = require('intl/options');

const { newRules, newSegments, following, beginning, isWord } = native;
const service = 'Intl.Segmenter';
const granularities = ['grapheme', 'word', 'sentence'];

function create(locales, given) {
    const tags = canonicalList(locales);
    const wanted = options.demand(given);
    options.matcher(wanted, service);
    const granularity = options.choose(wanted, 'granularity', granularities, 'grapheme',
        service);
    const { locale, forICU } = resolve(tags, {}, []);
    return { locale, granularity,
        rules: newRules(forICU, granularities.indexOf(granularity)) };
}

const SegmentsField = makeField(), IteratorField = makeField();

function fieldOf(Field, object, method) {
    const state = Field.of(object);
    if (state === undefined)
        throw new TypeError(`Method ${method} called on incompatible receiver ` +
            (typeof object === 'object' && object !== null ? '#<Object>' : String(object)));
    return state;
}

// `end` must be the boundary that was last asked for.
function segmentData({ input, isByWord, handle }, index, end) {
    const segment = input.slice(index, end);
    return isByWord ? { segment, index, input, isWordLike: isWord(handle) }
        : { segment, index, input };
}

const segmentsPrototype = {};
hide(segmentsPrototype, {
    containing(index) {
        const state = fieldOf(SegmentsField, this, '%Segments.prototype%.containing');
        const at = Math.trunc(Number(index)) || 0;
        if (at < 0 || at >= state.input.length)
            return undefined;
        const begin = beginning(state.handle, at);
        return segmentData(state, begin, following(state.handle, at));
    },

    [Symbol.iterator]() {
        const segments =
            fieldOf(SegmentsField, this, '%SegmentsPrototype%[Symbol.iterator]');
        const iterator = Object.create(iteratorPrototype);
        new IteratorField(iterator, { segments, at: 0 });
        return iterator;
    },
});

const iteratorPrototype =
    Object.create(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())));
hide(iteratorPrototype, {
    next() {
        const state = fieldOf(IteratorField, this, '%SegmentIterator.prototype%.next');
        const { segments, at } = state;
        if (at >= segments.input.length)
            return { value: undefined, done: true };
        const end = following(segments.handle, at);
        state.at = end < 0 ? segments.input.length : end;
        return { value: segmentData(segments, at, state.at), done: false };
    },
});
Object.defineProperty(iteratorPrototype, Symbol.toStringTag,
    { value: 'Segmenter String Iterator', configurable: true });

const Segmenter = makeClass('Segmenter', create, (stateOf) => ({
    resolvedOptions() {
        return pick(stateOf(this, 'resolvedOptions'), ['locale', 'granularity']);
    },

    segment(text) {
        const { rules, granularity } = stateOf(this, 'segment');
        const input = `${text}`;
        const segments = Object.create(segmentsPrototype);
        new SegmentsField(segments, { input, isByWord: granularity === 'word',
            handle: newSegments(rules, input) });
        return segments;
    },
}));

module.exports = { Segmenter };
