// Jobs and next-ticks that come up after a rejection may still handle it.
'use strict';
process.on('unhandledRejection', (reason) => console.log('unhandled', reason));

const byTick = Promise.reject('handled by the tick of a job');
Promise.resolve().then(() => process.nextTick(() =>
    byTick.catch((reason) => console.log('caught', reason))));

const byTickOfTick = Promise.reject('handled by the tick of a tick');
process.nextTick(() => process.nextTick(() =>
    byTickOfTick.catch((reason) => console.log('caught', reason))));

const byJobs = Promise.reject('handled many jobs later');
(async () => {
    for (let i = 0; i < 100; i++)
        await null;
    process.nextTick(() => queueMicrotask(() =>
        byJobs.catch((reason) => console.log('caught', reason))));
})();

Promise.reject('by nobody');
Promise.resolve().then(() => Promise.reject('by nobody, in a job'));
setImmediate(() => console.log('immediate'));
