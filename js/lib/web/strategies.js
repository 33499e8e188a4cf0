// SPDX-License-Identifier: MIT
// strategies -- ByteLengthQueuingStrategy and CountQueuingStrategy.
'use strict';

const { coded, invalidArgType } = require('core/errors');
const { isObject, reveal, show, wrongThis } = require('web/base');

// One function for all of them, as the standard says.
const { byteLengthSize, countSize } = {
    byteLengthSize: { size: (chunk) => chunk.byteLength }.size,
    countSize: { size: () => 1 }.size,
};

function markOf(init) {
    if (!isObject(init))
        throw invalidArgType('init', 'of type object', init);
    const { highWaterMark } = init;
    if (highWaterMark === undefined)
        throw coded(TypeError, 'ERR_MISSING_OPTION', 'init.highWaterMark is required');
    return +highWaterMark;
}

class ByteLengthQueuingStrategy {
    #mark;
    constructor(init) {
        this.#mark = markOf(init);
    }
    get highWaterMark() {
        if (!(#mark in this))
            throw wrongThis('ByteLengthQueuingStrategy');
        return this.#mark;
    }
    get size() {
        if (!(#mark in this))
            throw wrongThis('ByteLengthQueuingStrategy');
        return byteLengthSize;
    }
}

class CountQueuingStrategy {
    #mark;
    constructor(init) {
        this.#mark = markOf(init);
    }
    get highWaterMark() {
        if (!(#mark in this))
            throw wrongThis('CountQueuingStrategy');
        return this.#mark;
    }
    get size() {
        if (!(#mark in this))
            throw wrongThis('CountQueuingStrategy');
        return countSize;
    }
}

for (const ctor of [ByteLengthQueuingStrategy, CountQueuingStrategy]) {
    reveal(ctor, 'highWaterMark', 'size');
    show(ctor, ({ highWaterMark }) => ({ highWaterMark }));
}

module.exports = { ByteLengthQueuingStrategy, CountQueuingStrategy, countSize };
