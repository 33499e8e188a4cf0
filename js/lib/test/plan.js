// SPDX-License-Identifier: MIT
// plan -- t.plan(): how many assertions and subtests a test expects.
'use strict';

const { failure, types } = require('test/failure');
const { checkCount } = require('test/check');

class Plan {
    constructor(count) {
        checkCount(count, 'count', 0);
        this.expected = count;
        this.actual = 0;
    }

    check() {
        if (this.actual !== this.expected)
            throw failure(`plan expected ${this.expected} assertions but received ` +
                `${this.actual}`, types.code);
    }
}

// The functions of node:assert that count, in Node's order.
const names = ['deepEqual', 'deepStrictEqual', 'doesNotMatch', 'doesNotReject',
    'doesNotThrow', 'equal', 'fail', 'ifError', 'match', 'notDeepEqual',
    'notDeepStrictEqual', 'notEqual', 'notStrictEqual', 'rejects', 'strictEqual',
    'throws', 'ok'];

// t.assert
function countedAssert(test) {
    const all = require('assert/assert'), counted = { __proto__: null };
    for (const name of names)
        counted[name] = { [name](...args) {
            if (test.plan !== null)
                test.plan.actual++;
            return Reflect.apply(all[name], test, args);
        } }[name];
    return counted;
}

module.exports = { Plan, countedAssert };
