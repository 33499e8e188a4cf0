// virtual clock
import { setTimeout as wait, setImmediate, setInterval, scheduler } from 'node:timers/promises';
import timers from 'node:timers';
console.log(await wait(2, 'value'), timers.promises.setTimeout === wait, Object.keys(timers).includes('promises'));
console.log(await setImmediate('now'));
let n = 0;
for await (const x of setInterval(2, 'tick')) {
    console.log(x, ++n);
    if (n === 3) break;
}
await scheduler.wait(1);
console.log(await Promise.race([wait(50, 'slow', { ref: false }), wait(5, 'fast')]));
import { promises as fromTimers } from 'node:timers';
console.log(await fromTimers.setTimeout(1, 'timers.promises'));
