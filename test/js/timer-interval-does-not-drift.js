// weir only
// LESSONS, scene h: the work inside does not add to the period.  Beats stay on
// the grid of the period; a late one (a busy machine) does not move the others.
// With 20 ms of work added to each, every second one would be off by 20.
const period = 40, beats = 20;
const start = process.hrtime.bigint();
let count = 0, onGrid = 0;
const interval = setInterval(() => {
    const phase = Number(process.hrtime.bigint() - start) / 1e6 % period;
    if (phase < 15)
        onGrid++;
    const begin = Date.now();
    while (Date.now() - begin < 20);
    if (++count < beats)
        return;
    clearInterval(interval);
    console.log(onGrid >= beats * 0.7);
}, period);
