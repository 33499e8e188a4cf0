// weir only
// Node's and libuv's timers may come a millisecond early.
let early = 0, left = 200;
(function next() {
    const start = process.hrtime.bigint();
    setTimeout(() => {
        if (process.hrtime.bigint() - start < 1000000n)
            early++;
        if (--left > 0)
            next();
        else
            console.log('early:', early);
    }, 1);
})();
