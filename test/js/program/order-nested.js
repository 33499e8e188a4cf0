// virtual clock
// Each way to queue, from inside each other way; two of each, so that what comes
// between them shows.
const lines = [];
const ways = {
    tick: (f) => process.nextTick(f),
    promise: (f) => Promise.resolve().then(f),
    microtask: (f) => queueMicrotask(f),
    immediate: (f) => setImmediate(f),
    timeout: (f) => setTimeout(f, 1),
    async: async (f) => { await null; f(); },
};
const names = Object.keys(ways);

// One outer way after the other, so that timers and immediates don't race.
function scene(outer, then) {
    lines.push(`-- ${outer}`);
    let left = 0;
    const done = () => --left === 0 && then();
    for (const number of [1, 2]) {
        left++;
        ways[outer](() => {
            lines.push(`${outer} ${number}`);
            for (const inner of names) {
                if (inner === 'timeout' && outer !== 'timeout')
                    continue; // whether it is due in this turn is the clock's
                left++;
                ways[inner](() => {
                    lines.push(`${outer} ${number}: ${inner}`);
                    done();
                });
            }
            done();
        });
    }
}

(function next(index) {
    if (index === names.length)
        console.log(lines.join('\n'));
    else
        setTimeout(() => scene(names[index], () => next(index + 1)), 5);
})(0);
