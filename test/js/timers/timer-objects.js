// virtual clock
// Node's Timeout: ref, unref, hasRef, refresh, close, numbers, dispose.
const t = setTimeout(() => console.log('never'), 10);
console.log(t.constructor.name, t.hasRef(), t.unref() === t, t.hasRef(), t.ref().hasRef());
const number = +t;
console.log(typeof number, number === t[Symbol.toPrimitive]());
clearTimeout(number);
const u = setTimeout(() => console.log('never'), 10);
clearTimeout(`${+u}`);
clearTimeout(undefined), clearTimeout(null), clearTimeout({}), clearTimeout('x'), clearTimeout(NaN);
clearInterval(setTimeout(() => console.log('never'), 1));
setTimeout(() => console.log('never'), 1).close();
setTimeout(() => console.log('never'), 1)[Symbol.dispose]();
setTimeout(() => console.log('unref, never'), 1e6).unref();
let count = 0, beats = 0;
const again = setTimeout(function () { // one after the other
    console.log('refreshed', ++count, this === again);
    if (count < 3)
        return this.refresh();
    setTimeout((...args) => {
        console.log('args', args);
        const interval = setInterval((word) => {
            console.log(word, ++beats);
            if (beats === 3)
                clearInterval(interval);
        }, 3, 'beat');
    }, 2, 1, 'two', [3]);
}, 2);
const i = setImmediate(() => console.log('never'));
console.log(i.constructor.name, i.hasRef(), i.unref().hasRef(), i.ref() === i);
clearImmediate(i);
for (const delay of [undefined, null, NaN, -1, 'x', 0.5, {}, Infinity])
    setTimeout(() => {}, delay);
for (const bad of [undefined, null, 1, 'code', {}])
    for (const start of [setTimeout, setInterval, setImmediate, process.nextTick])
        try {
            start(bad);
        } catch (error) {
            console.log(start.name, error.name, error.code, error.message);
        }
