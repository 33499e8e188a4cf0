// virtual clock
// Timers of several delays, cleared and started by each other; immediates in
// between, and jobs after each single callback.
const log = (...words) => console.log(...words);
const after = (name) => {
    process.nextTick(log, `  tick after ${name}`);
    Promise.resolve().then(() => log(`  job after ${name}`));
};
const doomed = [];
for (const delay of [30, 10, 20, 10, 30, 20])
    setTimeout((number) => {
        log('timeout', delay, number);
        after(`timeout ${delay}`);
        clearTimeout(doomed[number]);
    }, delay, doomed.length, doomed.push(setTimeout(log, 40, 'doomed', delay)));
for (let i = 1; i <= 3; i++)
    setTimeout(() => {
        log('together', i);
        setImmediate(() => { log('immediate of', i); after(`immediate ${i}`); });
        setTimeout(() => log('later of', i), 0);
        if (i === 1)
            clearImmediate(setImmediate(log, 'never'));
    }, 50);
let beats = 0;
const interval = setInterval(() => {
    log('beat', ++beats);
    if (beats === 3) {
        clearInterval(interval);
        const again = setTimeout(() => {
            log('refreshed');
            if (++beats < 6)
                again.refresh();
        }, 5);
    }
}, 100);
