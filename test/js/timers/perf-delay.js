// virtual clock
// weir only
// monitorEventLoopDelay: the time between two calls of its timer.
const { monitorEventLoopDelay } = require('perf_hooks');

const exact = ({ count, min, max, mean, stddev }) => [count, min, max, mean, stddev].join(' ');
const h = monitorEventLoopDelay();
const coarse = monitorEventLoopDelay({ resolution: 50 });
console.log(h.enable(), coarse.enable());
setTimeout(() => {
    console.log(exact(h)); // nine periods of 10 ms, in buckets of three digits
    console.log(exact(coarse));
    console.log(h.disable());
    setTimeout(() => {
        console.log(h.count); // stopped
        h.reset();
        h.enable(); // the first call counts nothing
        setTimeout(() => {
            console.log(exact(h));
            // Both stay enabled: they do not keep the program running.
        }, 35);
    }, 100);
}, 105);
