// SPDX-License-Identifier: MIT
// claims -- jobs for the body of a loop, which is their handler.
'use strict';

// A job that the loop was left with is given back.  If that is refused, its lease
// has ended, or will.
async function giveBack({ job, resolve }) {
    if (!job.isSettled)
        await job.release().catch(() => {});
    resolve();
}

// `work(handler, onStop)` starts a worker for one job at a time.
async function* claims(work) {
    const waiting = []; // {job, resolve}: the handler's promise
    let wake = () => {}, isStopped = false, current;
    const worker = work((job) => new Promise((resolve) => {
        waiting.push({ job, resolve });
        wake();
    }), () => {
        isStopped = true;
        wake();
    });
    try {
        for (;;) {
            while (waiting.length === 0 && !isStopped)
                await new Promise((resolve) => { wake = resolve; });
            current = waiting.shift();
            if (current === undefined)
                return;
            yield current.job;
            current.resolve();
            current = undefined;
        }
    } finally {
        const left = current === undefined ? waiting : [current, ...waiting];
        worker.stop();
        await Promise.all(left.map(giveBack));
    }
}

module.exports = { claims };
