// SPDX-License-Identifier: MIT
// Counts the primes below a limit.  Workers sieve, and steal from each other:
// the remaining range of a worker is one word in shared memory.
//
//     build/weir examples/prime-search.js [limit [workers]]
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const SEGMENT = 16384; // numbers in one piece of work
const MOST = 0xffff; // pieces: two indices fit into a word

// Words of the shared memory, followed by one for each worker.
const FOUND = 0, DONE = 1, STEALS = 2, RANGES = 3;

// The pieces [first, end) that a worker has left.
const pack = (first, end) => first << 16 | end;
const first = (range) => range >>> 16;
const end = (range) => range & MOST;
const left = (range) => end(range) - first(range);

/* ---- a worker ---- */

// Take one piece from the front of my own range; -1 if it is empty.
function take(words, me) {
    for (;;) {
        const range = Atomics.load(words, RANGES + me);
        if (left(range) === 0)
            return -1;
        const next = pack(first(range) + 1, end(range));
        if (Atomics.compareExchange(words, RANGES + me, range, next) === range)
            return first(range);
    }
}

// Take the back half of the longest range; false if all are empty.  That one
// word decides between its owner and all thieves.
function steal(words, me, workers) {
    for (;;) {
        let victim = 0;
        for (let i = 1; i < workers; i++)
            if (left(Atomics.load(words, RANGES + i)) >
                left(Atomics.load(words, RANGES + victim)))
                victim = i;
        const range = Atomics.load(words, RANGES + victim);
        if (left(range) === 0)
            return false;
        const middle = end(range) - Math.ceil(left(range) / 2);
        if (Atomics.compareExchange(words, RANGES + victim, range,
            pack(first(range), middle)) !== range)
            continue;
        Atomics.store(words, RANGES + me, pack(middle, end(range)));
        Atomics.add(words, STEALS, 1);
        return true;
    }
}

function primesUpTo(limit) {
    const isComposite = new Uint8Array(limit + 1), primes = [];
    for (let n = 2; n <= limit; n++) {
        if (isComposite[n])
            continue;
        primes.push(n);
        for (let multiple = n * n; multiple <= limit; multiple += n)
            isComposite[multiple] = 1;
    }
    return primes;
}

// Primes in [from, to), by the sieve of Eratosthenes.
function count(from, to, small) {
    const isComposite = new Uint8Array(to - from);
    let number = 0;
    for (const prime of small) {
        if (prime * prime >= to)
            break;
        const start = Math.max(prime * prime, Math.ceil(from / prime) * prime);
        for (let at = start - from; at < to - from; at += prime)
            isComposite[at] = 1;
    }
    for (let at = Math.max(0, 2 - from); at < to - from; at++)
        number += 1 - isComposite[at];
    return number;
}

function search({ words, me, workers, limit }) {
    const small = primesUpTo(Math.ceil(Math.sqrt(limit)));
    do {
        let piece;
        while ((piece = take(words, me)) >= 0) {
            const from = piece * SEGMENT;
            Atomics.add(words, FOUND,
                count(from, Math.min(from + SEGMENT, limit), small));
            Atomics.add(words, DONE, 1);
            Atomics.notify(words, DONE);
        }
    } while (steal(words, me, workers));
}

/* ---- the main thread ---- */

function draw(done, pieces) {
    if (!process.stderr.isTTY)
        return;
    const full = Math.floor(40 * done / pieces);
    process.stderr.write(`\r[${'#'.repeat(full).padEnd(40, '.')}] ` +
        `${Math.floor(100 * done / pieces)}%${done === pieces ? '\n' : ''}`);
}

async function main(limit = 2000000, workers = 4) {
    const pieces = Math.ceil(limit / SEGMENT);
    if (!(pieces > 0 && pieces <= MOST && workers > 0))
        throw new RangeError('a limit up to a billion, and some workers');
    const words = new Int32Array(new SharedArrayBuffer(4 * (RANGES + workers)));
    // The first worker gets everything, so the others have to steal.
    words[RANGES] = pack(0, pieces);
    for (let me = 0; me < workers; me++)
        new Worker(__filename, { workerData: { words, me, workers, limit } });
    for (let done = 0; done < pieces; done = Atomics.load(words, DONE)) {
        draw(done, pieces);
        await Atomics.waitAsync(words, DONE, done).value;
    }
    draw(pieces, pieces);
    console.log(`${Atomics.load(words, FOUND)} primes below ${limit}`);
    console.log(`${workers} workers, which stole ` +
        (Atomics.load(words, STEALS) > 0 ? 'from each other' : 'nothing'));
}

if (isMainThread)
    main(...process.argv.slice(2).map(Number));
else
    search(workerData);
