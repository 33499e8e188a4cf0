// Options and delays that are none: the promise is rejected.
import { setImmediate, setInterval, setTimeout } from 'timers/promises';
const starts = {
    timeout: setTimeout, immediate: (delay, value, options) => setImmediate(value, options),
    interval: (...args) => setInterval(...args).next(),
};
for (const [name, start] of Object.entries(starts))
    for (const args of [[], [1, 'v'], [1, 'v', 5], [1, 'v', null], [1, 'v', { signal: 5 }], [1, 'v', { signal: null }], [1, 'v', { signal: {} }],
        [1, 'v', { ref: 5 }], [1, 'v', { signal: AbortSignal.abort('why') }], ['1'], [null]])
        await start(...args).then((value) => console.log(name, value),
            (error) => console.log(name, error.name, error.code, error.message, error.cause));
process.exit();
