// SPDX-License-Identifier: MIT
// difference -- two values, compared line by line as in Node's AssertionError.
'use strict';

const { inspect } = require('util/inspect');

const MOST_LINES = 50, SHORT = 12, WIDTH = 80;

const heads = {
    __proto__: null,
    deepStrictEqual: 'Expected values to be strictly deep-equal:',
    strictEqual: 'Expected values to be strictly equal:',
    strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
    deepEqual: 'Expected values to be loosely deep-equal:',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notStrictEqualObject:
        'Expected "actual" not to be reference-equal to "expected":',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
    notIdentical: 'Values have same structure but are not reference-equal:',
    notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
};

function show(value) {
    return inspect(value, { compact: false, customInspect: false, depth: 1000,
        maxArrayLength: Infinity, sorted: true, getters: true });
}

const isPrimitive = (value) => typeof value !== 'object' || value === null;

// Limit the number of lines, and say if there were more.
function shortened(lines) {
    return lines.length > MOST_LINES ? [...lines.slice(0, 46), '...'] : lines;
}

// Remove the common lines at the end; the last three are shown.
function takeEnd(left, right, count) {
    let end = '', further = '';
    while (left.length > 0 && right.length > 0 && left.at(-1) === right.at(-1)) {
        if (count++ < 3)
            end = `\n  ${left.at(-1)}${end}`;
        else
            further = left.at(-1);
        left.pop();
        right.pop();
    }
    const isCut = count >= 5;
    if (isCut)
        end = `\n...${end}`;
    if (further !== '')
        end = `\n  ${further}${end}`;
    return { end, isCut };
}

// The printed lines: those of "actual" at once, those of "expected" after a run
// of different ones.
class Page {
    text = ''; later = ''; printed = 0; isCut = false;
    #same = 0;

    #before(lines, i) { // up to three of the common lines before
        if (this.#same > 4 && this.#same !== 5) {
            this.text += '\n...';
            this.isCut = true;
        }
        const count = this.#same === 5 ? 3 : Math.min(Math.max(this.#same - 2, 0), 2);
        for (let back = count; back >= 1; back--)
            this.text += `\n  ${lines[i - back]}`;
        this.printed += count;
        this.#same = 0;
    }

    only(lines, i, mark) {
        this.#before(lines, i);
        if (mark === '+')
            this.text += `\n+ ${lines[i]}`;
        else
            this.later += `\n- ${lines[i]}`;
        this.printed++;
    }

    both(lines, i, actual, expected) {
        this.#before(lines, i);
        this.text += `\n+ ${actual}`;
        this.later += `\n- ${expected}`;
        this.printed += 2;
    }

    same(line) {
        this.text += this.later;
        this.later = '';
        if (++this.#same <= 2) {
            this.text += `\n  ${line}`;
            this.printed++;
        }
    }
}

// If two lines differ only by a trailing comma, return the one that has it.
function agree(actual, expected) {
    if (actual === expected || actual === `${expected},`)
        return actual;
    return `${actual},` === expected ? expected : undefined;
}

function compareLines(left, right, head, end, isCut) {
    const page = new Page(), most = Math.max(left.length, right.length);
    const [longer, mark] = left.length < most ? [right, '-'] : [left, '+'];
    for (let i = 0; i < most; i++) {
        if (i >= left.length || i >= right.length) {
            page.only(longer, i, mark);
        } else {
            const line = agree(left[i], right[i]);
            if (line === undefined)
                page.both(left, i, left[i], right[i]);
            else
                page.same(line);
        }
        if (page.printed > MOST_LINES && i < most - 2)
            return `${head} ... Lines skipped\n${page.text}\n...${page.later}\n...`;
    }
    return `${head}${isCut || page.isCut ? ' ... Lines skipped' : ''}\n` +
        `${page.text}${page.later}${end}`;
}

// Mark where two single lines begin to differ.
function pointer(left, right) {
    let at = 0;
    while (left[at] === right[at])
        at++;
    return at;
}

// `given` replaces the first line.
function difference(actual, expected, operator, given) {
    const left = show(actual).split('\n'), right = show(expected).split('\n');
    if (operator === 'strictEqual' && (typeof actual === 'function'
        ? typeof expected === 'function'
        : !isPrimitive(actual) && !isPrimitive(expected)))
        operator = 'strictEqualObject';
    let count = 0, arrow = '';
    if (left.length === 1 && right.length === 1 && left[0] !== right[0]) {
        const length = left[0].length + right[0].length;
        if (length <= SHORT) {
            if (isPrimitive(actual) && isPrimitive(expected) &&
                (actual !== 0 || expected !== 0))
                return `${given || heads[operator]}\n\n${left[0]} !== ${right[0]}\n`;
        } else if (operator !== 'strictEqualObject' && length < WIDTH) {
            count = pointer(left[0], right[0]);
            if (count > 2) {
                arrow = `\n  ${' '.repeat(count)}^`;
                count = 0;
            }
        }
    }
    const { end, isCut } = takeEnd(left, right, count);
    if (left.length === 0 && right.length === 0)
        return `${heads.notIdentical}\n\n` +
            `${shortened(show(actual).split('\n')).join('\n')}\n`;
    return compareLines(left, right,
        `${given || heads[operator]}\n+ actual - expected`, end, isCut) + arrow;
}

// For operators that expect a difference, showing one value is enough.
function sameness(actual, operator) {
    const lines = shortened(show(actual).split('\n'));
    const head = operator === 'notStrictEqual' &&
        (!isPrimitive(actual) || typeof actual === 'function')
        ? heads.notStrictEqualObject : heads[operator];
    return lines.length === 1
        ? `${head}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`
        : `${head}\n\n${lines.join('\n')}\n`;
}

const cut = (text, most) => text.length > most ? `${text.slice(0, most - 3)}...`
    : text;

function message(actual, expected, operator, given) {
    if (operator === 'deepStrictEqual' || operator === 'strictEqual')
        return difference(actual, expected, operator, given);
    if (given != null)
        return String(given);
    if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual')
        return sameness(actual, operator);
    const left = show(actual), right = show(expected);
    if (operator === 'notDeepEqual' && left === right)
        return cut(`${heads.notDeepEqual}\n\n${left}`, 1024);
    const shortLeft = cut(left, 512), shortRight = cut(right, 512);
    if (operator === 'deepEqual')
        return `${heads.deepEqual}\n\n${shortLeft}\n\nshould loosely deep-equal\n\n` +
            shortRight;
    if (operator === 'notDeepEqual')
        return `${heads.notDeepEqualUnequal}\n\n${shortLeft}\n\n` +
            `should not loosely deep-equal\n\n${shortRight}`;
    return `${shortLeft} ${operator} ${shortRight}`;
}

module.exports = { message };
