// SPDX-License-Identifier: MIT
// layout -- arrange the entries of an object on one line, in columns, or in
// lines.  Column widths follow Node's formula.
'use strict';

const { widthOf, cellsOf } = require('util/text');

const ARRAY = 1; // entries without keys

function group(ctx, output, value) {
    let total = 0, longest = 0;
    let count = output.length;
    if (ctx.maxArrayLength < output.length)
        count--; // "... more items" is not counted
    const widths = [];
    for (let i = 0; i < count; i++) {
        widths[i] = cellsOf(output[i]);
        total += widths[i] + 2;
        longest = Math.max(longest, widths[i]);
    }
    const cell = longest + 2;
    if (cell * 3 + ctx.indentation >= ctx.breakLength ||
        (total / cell <= 5 && longest > 6))
        return output;
    const bias = Math.sqrt(cell - total / output.length);
    const biased = Math.max(cell - 3 - bias, 1);
    const columns = Math.min(
        Math.round(Math.sqrt(2.5 * biased * count) / biased),
        Math.floor((ctx.breakLength - ctx.indentation) / cell),
        ctx.compact * 4, 15);
    if (columns <= 1)
        return output;
    const wide = [];
    for (let i = 0; i < columns; i++) {
        let width = 0;
        for (let j = i; j < count; j += columns)
            width = Math.max(width, widths[j]);
        wide.push(width + 2);
    }
    let isNumeric = true;
    for (let i = 0; value !== undefined && i < output.length; i++)
        if (typeof value[i] !== 'number' && typeof value[i] !== 'bigint')
            isNumeric = false;
    const lines = [];
    for (let i = 0; i < count; i += columns) {
        const end = Math.min(i + columns, count);
        let line = '', j = i;
        for (; j < end - 1; j++) {
            const padding = wide[j - i] + output[j].length - widths[j];
            line += isNumeric ? `${output[j]}, `.padStart(padding)
                : `${output[j]}, `.padEnd(padding);
        }
        line += isNumeric
            ? output[j].padStart(wide[j - i] + output[j].length - widths[j] - 2)
            : output[j];
        lines.push(line);
    }
    if (ctx.maxArrayLength < output.length)
        lines.push(output[count]);
    return lines;
}

function fits(ctx, output, start, base) {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength)
        return false;
    for (const entry of output) {
        total += widthOf(ctx, entry);
        if (total > ctx.breakLength)
            return false;
    }
    return base === '' || !base.includes('\n');
}

function join(ctx, output, shape, level, value) {
    const { open, close } = shape;
    const base = shape.base ? `${shape.base} ` : '';
    if (ctx.compact !== true) {
        if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
            const entries = output.length;
            if (shape.type === ARRAY && entries > 6)
                output = group(ctx, output, value);
            if (ctx.current - level < ctx.compact && entries === output.length) {
                const start = output.length + ctx.indentation + open.length +
                    shape.base.length + 10;
                if (fits(ctx, output, start, shape.base)) {
                    const line = output.join(', ');
                    if (!line.includes('\n'))
                        return `${base}${open} ${line} ${close}`;
                }
            }
        }
        const indent = `\n${' '.repeat(ctx.indentation)}`;
        return `${base}${open}${indent}  ${output.join(`,${indent}  `)}${indent}${close}`;
    }
    if (fits(ctx, output, 0, shape.base))
        return `${open}${base ? ` ${shape.base}` : ''} ${output.join(', ')} ${close}`;
    const indent = `\n${' '.repeat(ctx.indentation)}`;
    const line = shape.base === '' && open.length === 1 ? ' '
        : `${base ? ` ${shape.base}` : ''}\n${' '.repeat(ctx.indentation)}  `;
    return `${open}${line}${output.join(`,${indent}  `)} ${close}`;
}

module.exports = { join, ARRAY };
