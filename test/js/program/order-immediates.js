// virtual clock
// Immediates that immediates start wait for the next turn; those that were
// cleared do not run; jobs come after each one.
const log = (...words) => console.log(...words);
setTimeout(() => {
    const third = [];
    setImmediate(() => {
        log('first');
        process.nextTick(log, 'tick of first');
        queueMicrotask(() => log('job of first'));
        setImmediate(() => {
            log('of first');
            setImmediate(log, 'of of first');
            process.nextTick(() => setImmediate(log, 'of tick'));
        });
        clearImmediate(third[0]);
    });
    setImmediate(() => {
        log('second');
        setImmediate(log, 'of second');
        Promise.resolve().then(() => setImmediate(log, 'of job'));
    });
    third.push(setImmediate(log, 'never'));
    setImmediate((...args) => log('fourth', ...args), 1, 'two', [3]);
    process.nextTick(() => setImmediate(log, 'from a tick'));
    Promise.resolve().then(() => setImmediate(log, 'from a job'));
}, 1);
