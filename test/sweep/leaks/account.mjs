// SPDX-License-Identifier: MIT
// account -- do something many times, and compare what the process holds after a
// tenth of it with what it holds at the end.
//
//     weir PROGRAM [--count N] [--seed N] [--kind NAME]
//
// Prints a line for each kind, and exits with 1 if the engine's memory, the
// process's, or its descriptors have become more.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { collect } from './collect.mjs';

const { Random } = createRequire(import.meta.url)('../../js/support/random.cjs');

const { values: options } = parseArgs({ options: {
    count: { type: 'string', default: '1000' }, seed: { type: 'string' },
    kind: { type: 'string', multiple: true } } });
// Bytes more; what one collection leaves differs by 200 KiB.
const MOST_HEAP = 256 << 10, MOST_RSS = 4 << 20;
const IN_FLIGHT = 16;

export const random = new Random(options.seed);

export const descriptors = () => fs.readdirSync('/proc/self/fd').length;

// What is ending has a while to end.  The first time nobody knows how many
// descriptors the program keeps, and they are counted when they change no more.
async function settle(wanted) {
    for (let i = 0, same = 0, last; i < 500 && (wanted === undefined ? same < 50
        : last !== wanted); i++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        const now = descriptors();
        same = now === last ? same + 1 : 0;
        last = now;
    }
    await collect();
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed, descriptors: descriptors() };
}

async function repeat(count, round) {
    let begun = 0;
    const one = async () => {
        while (begun < count) {
            begun++;
            await round();
        }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, one));
}

const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;

// Measure each of {name: [open, round, close]}, a share of the count each.  open()
// returns what the other two get.
export async function measure(kinds, share) {
    const count = Math.ceil(Number(options.count) / share);
    for (const [name, [open, round, close]] of Object.entries(kinds)) {
        if (options.kind && !options.kind.includes(name))
            continue;
        const phase = async (times, wanted) => {
            const opened = await open();
            await repeat(times, () => round(opened));
            await close?.(opened);
            return settle(wanted);
        };
        const { descriptors: first } = await phase(IN_FLIGHT);
        const before = await phase(Math.max(count / 10, 200), first);
        const after = await phase(count, first);
        const more = Object.fromEntries(Object.keys(after).map((key) =>
            [key, after[key] - before[key]]));
        const isFlat = more.heapUsed < MOST_HEAP && after.descriptors === first &&
            (process.env.ASAN_OPTIONS !== undefined || more.rss < MOST_RSS);
        console.log(`${isFlat ? 'ok' : 'not ok'} - ${name}: ${count} times, engine ` +
            `${kib(before.heapUsed)} + ${kib(more.heapUsed)}, process ${kib(before.rss)} + ` +
            `${kib(more.rss)}, descriptors ${first} + ${after.descriptors - first}`);
        if (!isFlat)
            process.exitCode = 1;
    }
}
