// performance.timerify.
const { performance, PerformanceObserver, createHistogram } = require('perf_hooks');
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
        console.log(entry.constructor.name, entry.name, entry.entryType, entry.detail, Object.keys(entry),
            Object.keys(entry.toJSON()), entry.duration >= 0, entry.startTime > 0);
});
observer.observe({ entryTypes: ['function'] });

t(() => performance.timerify(5));
t(() => performance.timerify(() => 1, 5));
t(() => performance.timerify(() => 1, { histogram: {} }));
t(() => performance.timerify.length);

const histogram = createHistogram();
const add = performance.timerify(function add(a, b) { return a + b; }, { histogram });
t(() => [add(1, 2), add.name, add.length, histogram.count, histogram.min > 0]);
t(() => Object.getOwnPropertyDescriptors(add).name);
class Point {
    constructor(x) { this.x = x; }
}
const MadePoint = performance.timerify(Point);
t(() => new MadePoint(5));
const thrower = performance.timerify(() => { throw new Error('thrown'); }, { histogram });
t(() => thrower());
t(() => histogram.count);
const later = performance.timerify(async function later(x) { return x; }, { histogram });
t(() => add === performance.timerify(add));
later(7).then((x) => console.log(x, histogram.count));
