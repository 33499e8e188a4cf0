// SPDX-License-Identifier: MIT
// table -- the text of console.table.
'use strict';

const { inspect } = require('util/inspect');
const { cellsOf } = require('util/text');

function cell(value) {
    const depth = value !== null && typeof value === 'object' &&
        !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0;
    return inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth });
}

function draw(head, columns) {
    const rows = Math.max(...columns.map((column) => column.length));
    const widths = columns.map((column, i) => 2 + Math.max(cellsOf(head[i]),
        ...Array.from({ length: rows }, (_, row) => cellsOf(column[row] ?? ''))));
    const rule = widths.map((width) => '─'.repeat(width));
    const line = (cells) => `│${cells.map((text = '', i) =>
        ` ${text}${' '.repeat(widths[i] - 1 - cellsOf(text))}`).join('│')}│`;
    return [`┌${rule.join('┬')}┐`, line(head), `├${rule.join('┼')}┤`,
        ...Array.from({ length: rows }, (_, row) =>
            line(columns.map((column) => column[row]))),
        `└${rule.join('┴')}┘`].join('\n');
}

// A column for each wanted key, or for each key of any row, and one for rows
// that are not objects.
function table(data, wanted) {
    const keys = new Map(), index = [], values = [];
    let indexName = '(index)', isValued = false, row = 0;
    const add = (name, value) => {
        index.push(name);
        const isObject = Object(value) === value;
        if (!isObject && wanted === undefined) {
            values[row++] = cell(value);
            isValued = true;
            return;
        }
        for (const key of wanted ?? Object.keys(value)) {
            if (!keys.has(key))
                keys.set(key, []);
            if (isObject && Object.hasOwn(value, key))
                keys.get(key)[row] = cell(value[key]);
        }
        row++;
    };
    if (data instanceof Map) {
        indexName = '(iteration index)';
        const entries = [...data];
        return draw([indexName, 'Key', 'Values'], [
            entries.map((_, i) => `${i}`), entries.map(([key]) => cell(key)),
            entries.map(([, value]) => cell(value))]);
    }
    if (data instanceof Set) {
        const entries = [...data];
        return draw(['(iteration index)', 'Values'], [
            entries.map((_, i) => `${i}`), entries.map(cell)]);
    }
    for (const key of Object.keys(data))
        add(key, data[key]);
    const head = [indexName, ...keys.keys()], columns = [index, ...keys.values()];
    if (isValued) {
        head.push('Values');
        columns.push(values);
    }
    return draw(head, columns);
}

module.exports = table;
