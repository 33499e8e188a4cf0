// Callbacks that free small objects all the time are hangs: which of them the
// watchdog sees while one is freed is chance.
const causes = new Set();
let left = 20;
process.on('blocked', (block) => causes.add(block.cause));
setTimeout(function block() {
    const end = performance.now() + 40;
    while (performance.now() < end)
        [{ list: [{}, {}, {}] }, { list: [{}, {}, {}] }];
    if (--left > 0)
        setTimeout(block, 1);
    else
        setTimeout(() => console.log(causes.has('hang'), causes.has('memory')), 1);
}, 1);
