// weir only
// LESSONS, scene h: the work inside does not add to the period.
const start = process.hrtime.bigint();
let count = 0;
const interval = setInterval(() => {
    const begin = Date.now();
    while (Date.now() - begin < 20);
    if (++count < 10)
        return;
    clearInterval(interval);
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    console.log(ms >= 400, ms < 560); // 600 if the work were added
}, 40);
