// The classic puzzle, and the same nested in each other.
const log = (...words) => console.log(...words);

log('script');
setTimeout(() => {
    log('timeout 1');
    Promise.resolve().then(() => log('promise in timeout 1'));
    process.nextTick(() => log('tick in timeout 1'));
}, 0);
setTimeout(() => log('timeout 2'), 0);
setImmediate(() => {
    log('immediate 1');
    process.nextTick(() => log('tick in immediate 1'));
    Promise.resolve().then(() => log('promise in immediate 1'));
    setImmediate(() => log('immediate of immediate'));
});
setImmediate(() => log('immediate 2'));
process.nextTick(() => {
    log('tick 1');
    process.nextTick(() => log('tick of tick'));
    Promise.resolve().then(() => log('promise of tick'));
});
Promise.resolve().then(() => {
    log('promise 1');
    process.nextTick(() => log('tick of promise'));
    queueMicrotask(() => log('microtask of promise'));
}).then(() => log('promise 2')).then(() => log('promise 3'));
queueMicrotask(() => {
    log('microtask 1');
    queueMicrotask(() => log('microtask of microtask'));
});
(async () => {
    log('async 1');
    await null;
    log('async 2');
    await new Promise((resolve) => process.nextTick(resolve));
    log('async 3');
})();
const start = Date.now();
while (Date.now() - start < 5); // both timers are due
log('end of script');
