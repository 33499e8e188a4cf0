// createHistogram: random values in random histograms, all figures.
const { createHistogram } = require('perf_hooks');
const random = new (require('../support/random.cjs').Random)(1);

const show = ({ count, min, max, mean, stddev, exceeds, percentiles }) =>
    [count, min, max, mean.toPrecision(12), stddev.toPrecision(9), exceeds,
        ...[...percentiles].flat()].join(' ');

let previous;
for (let round = 0; round < 60; round++) {
    const lowest = 1 + (random.happens('lowest above 1', 3) ? random.below(5000) : 0);
    const highest = 2 * lowest + random.below(2 ** (1 + round % 31));
    const figures = 1 + random.draw('figures less one', 4);
    const h = createHistogram({ lowest, highest, figures });
    const most = random.happens('values above the highest', 5) ? 2 * highest : highest;
    for (let n = random.below(300); n > 0; n--)
        h.record(1 + random.below(random.happens('small value', 4) ? 100 : most));
    console.log(lowest, highest, figures, show(h));
    console.log([0.1, 1, 10, 33.3, 50, 90, 99, 99.99, 100].map((p) => h.percentile(p)).join(' '));
    if (previous !== undefined) {
        previous.add(h);
        console.log(show(previous));
    }
    previous = h;
}
