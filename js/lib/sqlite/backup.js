// SPDX-License-Identifier: MIT
// sqlite/backup -- copy a database on the pool, some pages at a time.
'use strict';

const { checkFunction, checkOptions, option, pathOf, wrongType } = require('sqlite/options');

// One step of a backup.  The functions refer to it, and so keep it
// (js/sqlite/backup.c).
function step(backup, rate) {
    return new Promise((resolve, reject) => native.stepBackup(backup, rate,
        (pages) => resolve(pages, backup), (error) => reject(error, backup)));
}

// SQLite does not tell when a database can be read again.
const BUSY_MS = 10;

function pause() {
    return new Promise((resolve) => require('timers/timers').setTimeout(resolve, BUSY_MS));
}

async function copy(backup, rate, progress) {
    for (;;) {
        const [remainingPages, totalPages, isBusy] = await step(backup, rate);
        if (remainingPages === 0)
            return totalPages;
        progress?.({ totalPages, remainingPages });
        if (isBusy)
            await pause();
    }
}

function readOptions(options) {
    const given = checkOptions(options);
    const { rate = 100, progress } = given;
    if (!Number.isInteger(rate) || rate !== (rate | 0))
        throw wrongType('options.rate', 'an integer');
    if (progress !== undefined)
        checkFunction(progress, 'options.progress');
    return { rate, progress, source: option(given, 'source', 'string', 'main'),
        target: option(given, 'target', 'string', 'main') };
}

// handle: an open connection of C
module.exports = (handle, path, options) => {
    if (typeof path !== 'string' && (typeof path !== 'object' || path === null))
        throw wrongType('destination', 'a string');
    const file = pathOf(path), { rate, progress, source, target } = readOptions(options);
    return copy(native.newBackup(handle, file, source, target), rate, progress);
};
