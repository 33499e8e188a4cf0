// Fake clocks put their own functions into `timers` and `process`.
import timers from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';

console.log(Object.keys(timers).filter((name) => /^(set|clear|next|prom)/.test(name)).sort());
console.log('nextTick' in timers);

const { setTimeout, nextTick } = { ...timers, ...process };
for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout'])
    globalThis[name] = timers[name] = () => console.log(`fake ${name}`);
timers.setTimeout();
let calls = 0;
process.nextTick = () => calls++;
process.nextTick();
process.nextTick = nextTick; // Node prints by it
console.log(calls);

// weir's own are still the real ones.
console.log(await sleep(1, 'slept'));
console.log(typeof (await import('node:path')).join);
const { reason } = await new Promise((resolve) => {
    const signal = AbortSignal.timeout(1);
    signal.onabort = () => resolve(signal);
    setTimeout(() => {}, 50); // the signal's timer alone does not hold the loop
});
console.log(reason.name);
nextTick(() => console.log('real tick'));

process.env = { ONLY: 'this' };
console.log(process.env);
