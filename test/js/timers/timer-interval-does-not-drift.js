// weir only
// virtual clock
// An interval of 100 ms with 50 ms of work in it, for ten
// minutes.  The first beat is due when its delay has passed, a little later;
// each other is 100 ms after the one before.
const start = process.hrtime.bigint();
let beats = 0, first;
const interval = setInterval(() => {
    const now = Number(process.hrtime.bigint() - start) / 1e6;
    first ??= now;
    if (now !== first + 100 * beats)
        console.log(`beat ${beats} at ${now}`);
    pass(50);
    if (++beats === 6000) {
        console.log(first >= 100 && first < 101, beats);
        clearInterval(interval);
    }
}, 100);
