// SPDX-License-Identifier: MIT
// screen -- tables, times and progress of `weir jobs`, for people.
'use strict';

// Control characters would change the terminal: whoever adds a job chooses them.
// eslint-disable-next-line no-control-regex
const plain = (text) => String(text).replace(/[\x00-\x1f\x7f-\x9f]/g, '?');
// The same, in several lines.
const complete = (text) => String(text).split('\n').map(plain).join('\n');

function duration(ms) {
    const units = [[1000, 's'], [60_000, 'min'], [3_600_000, 'h'], [86_400_000, 'd']];
    const [length, unit] = units.findLast(([most]) => ms >= most) ?? [1, 'ms'];
    return `${Math.floor(ms / length)} ${unit}`;
}

function ago(date) {
    const ms = Date.now() - date.getTime();
    return ms < 0 ? `in ${duration(-ms)}` : `${duration(ms)} ago`;
}

// Rows of equal length; numbers are on the right.
function tableOf(head, rows) {
    const widths = head.map((title, i) =>
        Math.max(title.length, ...rows.map((row) => String(row[i]).length)));
    return [head, ...rows].map((row) => row.map((value, i) =>
        i === 0 ? String(value).padEnd(widths[i]) : String(value).padStart(widths[i]))
        .join('  ').trimEnd()).join('\n');
}

// Names and values.  Those that are undefined are left out.
function block(pairs) {
    const present = pairs.filter(([, value]) => value !== undefined);
    const width = Math.max(...present.map(([name]) => name.length));
    return present.map(([name, value]) => `${name.padEnd(width)}  ` +
        complete(value).replaceAll('\n', `\n${' '.repeat(width + 2)}`)).join('\n');
}

module.exports = { ago, block, complete, duration, plain, tableOf };
