// Promise chains against next-ticks that come up in between: a tick waits until
// the jobs are done, also those that jobs add.
const log = (...words) => console.log(...words);
let chain = Promise.resolve();
for (let i = 1; i <= 3; i++)
    chain = chain.then(() => {
        log('job', i);
        process.nextTick(log, 'tick of job', i);
    });
process.nextTick(() => {
    log('tick 1');
    Promise.resolve().then(() => {
        log('job of tick 1');
        process.nextTick(() => {
            log('tick of job of tick 1');
            queueMicrotask(() => log('job of tick of job'));
        });
    });
    process.nextTick(() => log('tick of tick 1'));
});
process.nextTick(log, 'tick 2', 'with', 'arguments');
(async () => {
    log('async begins');
    for (let i = 1; i <= 3; i++) {
        await new Promise((resolve) => process.nextTick(resolve));
        log('after tick', i);
        await { then(resolve) { log('then called', i); process.nextTick(resolve); } };
        log('after thenable', i);
    }
    try {
        await Promise.reject(new Error('caught'));
    } catch (error) {
        log(error.message);
    } finally {
        log('finally');
    }
})().then(() => log('async ends'));
new Promise((resolve) => { log('executor'); resolve(); log('still executor'); })
    .then(() => { throw new Error('x'); })
    .then(() => log('never'), (error) => log('second', error.message))
    .finally(() => log('finally of chain'))
    .then((value) => log('value', value));
log('end of script');
