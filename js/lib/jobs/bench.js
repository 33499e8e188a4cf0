// SPDX-License-Identifier: MIT
// bench -- `weir jobs URL bench COUNT`: how quick a store is where it is.
//
// The jobs are empty, and in a queue of their own.  What a bench that was killed has
// left there is handled by the next one.
'use strict';

const process = require('program/process');
const { performance } = require('timers/performance');
const { Progress } = require('jobs/screen');

const QUEUE = 'weir jobs bench';
const IN_FLIGHT = 100, ONES = 100;

const perSecond = (count, ms) => Math.round(count / ms * 1000);
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

// One after the other: the median of the milliseconds until `fn()` resolves.
async function timeOnes(fn) {
    const times = [];
    for (let i = 0; i < ONES; i++) {
        const begin = performance.now();
        await fn();
        times.push(performance.now() - begin);
    }
    return Number(median(times).toPrecision(3));
}

// Many at once: the milliseconds until all of `count` have resolved.
async function timeMany(count, fn, label) {
    const bar = new Progress(process.stderr, label, count);
    const begin = performance.now();
    let left = count;
    const run = async () => {
        while (left > 0) {
            left--;
            await fn();
            bar.advance(1);
        }
    };
    try {
        await Promise.all(Array.from({ length: IN_FLIGHT }, run));
    } finally {
        bar.end();
    }
    return performance.now() - begin;
}

async function bench(jobs, count) {
    const queue = jobs.queue(QUEUE, { attempts: 1 });
    const add = async () => { await queue.add(); };
    const addMs = await timeOnes(add);
    const addsMs = await timeMany(count, add, 'adding');
    const { ready, scheduled, running } = (await queue.stats()).jobs;
    const all = ready + scheduled + running;

    const waiting = []; // resolved in turn, one for each job that is done
    let early = 0; // jobs that were done before anybody waited
    jobs.on('completed', () => {
        const resolve = waiting.shift();
        if (resolve === undefined)
            early++;
        else
            resolve();
    });
    const done = () => new Promise((resolve) => {
        if (early > 0) {
            early--;
            resolve();
        } else {
            waiting.push(resolve);
        }
    });
    const handling = timeMany(all, done, 'handling');
    const worker = queue.work(() => {}, { concurrency: IN_FLIGHT, prefetch: IN_FLIGHT });
    const handledMs = await handling;
    const addAndWait = () => Promise.all([done(), add()]);
    const roundMs = await timeOnes(addAndWait);
    const bothMs = await timeMany(count, addAndWait, 'adding and handling');
    worker.stop();
    return { jobs: count, inFlight: IN_FLIGHT, addsPerSecond: perSecond(count, addsMs),
        handledPerSecond: perSecond(all, handledMs), bothPerSecond: perSecond(count, bothMs),
        addMs, addToDoneMs: roundMs };
}

module.exports = { bench };
