// SPDX-License-Identifier: MIT
// screen -- tables, times and progress of `weir jobs`, for people.
'use strict';

const BAR = 30, BETWEEN_MS = 100;

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

// A bar on stderr, if that is a terminal.
class Progress {
    #label; #total; #stream; #done = 0; #drawn = 0; #begin = Date.now();

    constructor(stream, label, total) {
        this.#stream = stream.isTTY ? stream : undefined;
        this.#label = label;
        this.#total = total;
        this.#draw();
    }

    advance(count) {
        this.#done += count;
        if (Date.now() - this.#drawn >= BETWEEN_MS)
            this.#draw();
    }

    #draw() {
        if (this.#stream === undefined)
            return;
        const share = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total);
        const filled = Math.round(share * BAR), spent = Date.now() - this.#begin;
        const left = share > 0 && share < 1 ? `, ${duration(spent / share - spent)} left` : '';
        this.#drawn = Date.now();
        this.#stream.write(`\r${this.#label} [${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ` +
            `${Math.floor(share * 100)}% of ${this.#total}${left}\x1b[K`);
    }

    end() { this.#stream?.write('\r\x1b[K'); }
}

module.exports = { ago, block, complete, duration, plain, tableOf, Progress };
