// createHistogram: random values in random histograms, all figures.
const { createHistogram } = require('perf_hooks');

let state = 1;
const random = (n) => { // the same in Node
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor(state / 2 ** 32 * n);
};
const show = ({ count, min, max, mean, stddev, exceeds, percentiles }) =>
    [count, min, max, mean.toPrecision(12), stddev.toPrecision(9), exceeds,
        ...[...percentiles].flat()].join(' ');

let previous;
for (let round = 0; round < 60; round++) {
    const lowest = 1 + (random(3) === 0 ? random(5000) : 0);
    const highest = 2 * lowest + random(2 ** (1 + random(31)));
    const figures = 1 + random(4);
    const h = createHistogram({ lowest, highest, figures });
    const most = random(5) === 0 ? 2 * highest : highest;
    for (let n = random(300); n > 0; n--)
        h.record(1 + (random(4) === 0 ? random(100) : random(most)));
    console.log(lowest, highest, figures, show(h));
    console.log([0.1, 1, 10, 33.3, 50, 90, 99, 99.99, 100].map((p) => h.percentile(p)).join(' '));
    if (previous !== undefined) {
        previous.add(h);
        console.log(show(previous));
    }
    previous = h;
}
