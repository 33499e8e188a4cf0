// SPDX-License-Identifier: MIT
// panel -- what the page of the monitor shows of the stores that the main thread has
// open: their queues, what runs and what is dead.
'use strict';

const { isMainThread } = require('threads/thread');
const panels = require('live/panels');

const MOST_QUEUES = 20, MOST_JOBS = 20; // of a store; of a queue and a state
const REASON_LIMIT = 500; // characters

const stores = new Map(); // number -> a WeakRef of Jobs
let last = 0; // number
let isAsking = false;

function describeJob({ id, queue, attempt, attempts, progress, owner, lease, reason }) {
    return { id, queue, attempt, attempts, progress, owner, lease,
        reason: reason?.slice(0, REASON_LIMIT) };
}

async function listOf(jobs, queues, state) {
    const some = queues.filter((queue) => queue.jobs[state] > 0).slice(0, MOST_QUEUES);
    const lists = await Promise.all(some.map(({ name }) =>
        jobs.queue(name).list({ state, limit: MOST_JOBS })));
    return lists.flat().map(describeJob);
}

async function describe(number, jobs, name) {
    try {
        const queues = await jobs.queues();
        return { number, name, queueCount: queues.length,
            queues: queues.slice(0, MOST_QUEUES).map((queue) => ({ name: queue.name,
                paused: queue.paused, oldest: queue.oldest?.getTime(), jobs: queue.jobs })),
            running: await listOf(jobs, queues, 'running'),
            dead: await listOf(jobs, queues, 'dead') };
    } catch (error) {
        return { number, name, error: error.message, queues: [], running: [], dead: [] };
    }
}

function open() {
    return [...stores].map(([number, { store, name }]) => [number, store.deref(), name])
        .filter(([, jobs]) => jobs !== undefined);
}

async function showJobs() {
    if (isAsking)
        return; // that answer is on its way
    isAsking = true;
    try {
        const all = await Promise.all(open().map((store) => describe(...store)));
        panels.show('jobs', stores.size === 0 ? ''
            : JSON.stringify({ now: Date.now(), stores: all }));
    } catch {
        // more than a section can hold: what was shown before remains
    } finally {
        isAsking = false;
    }
}

async function retryJob(number, id) {
    try {
        await stores.get(Number(number))?.store.deref()?.retry(Number(id));
    } catch {
        // it has been closed, or fails: the next answer says so
    }
    await showJobs();
}

// Show a store until it is closed.  Returns the function that ends this.
function add(jobs, name) {
    if (!isMainThread)
        return () => {};
    const number = ++last;
    if (stores.size === 0) {
        panels.provide('jobs', showJobs);
        panels.provide('jobs-retry', retryJob);
        panels.show('jobs', '{"stores":[]}'); // so that the page asks
    }
    stores.set(number, { store: new WeakRef(jobs), name });
    return () => {
        stores.delete(number);
        if (stores.size === 0)
            panels.show('jobs', '');
    };
}

module.exports = { add };
