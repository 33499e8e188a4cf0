// eventLoopUtilization and nodeTiming.
const { performance } = require('perf_hooks');

const isElu = ({ idle, active, utilization, ...rest }) => idle >= 0 && active >= 0 &&
    (Number.isNaN(utilization) || (utilization >= 0 && utilization <= 1)) && Object.keys(rest).length === 0;
console.log(performance.eventLoopUtilization()); // the loop has not begun
console.log(performance.nodeTiming.loopStart, performance.nodeTiming.loopExit);
console.log(Object.keys(performance.nodeTiming.toJSON()));
console.log(performance.nodeTiming instanceof PerformanceEntry, performance.nodeTiming.name);
console.log(Object.keys(performance.toJSON()));

// Timers, until the loop has slept: on a busy machine the first may be due before it does.
function rest(then) {
    setTimeout(() => performance.eventLoopUtilization().idle > 0 ? then() : rest(then), 10);
}
rest(() => {
    const first = performance.eventLoopUtilization();
    console.log(isElu(first), first.idle > 0, performance.nodeTiming.idleTime >= first.idle);
    const { loopStart, bootstrapComplete } = performance.nodeTiming;
    console.log(bootstrapComplete > 0, loopStart >= bootstrapComplete, loopStart < performance.now());
    const until = performance.now() + 20;
    while (performance.now() < until);
    const spun = performance.eventLoopUtilization(first);
    console.log(isElu(spun), spun.idle === 0, spun.active >= 20, spun.utilization === 1);
    const second = performance.eventLoopUtilization();
    const between = performance.eventLoopUtilization(second, first);
    console.log(isElu(between), between.active === second.active - first.active, between.utilization);
    // No more than the time that has passed.
    console.log(second.idle + second.active <= performance.now() - loopStart + 1e-6);
});
process.on('exit', () => console.log(performance.nodeTiming.loopExit > 0));
