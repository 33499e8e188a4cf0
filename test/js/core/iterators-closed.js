// Which failures of a loop close its iterator: not those of the iterator itself.
'use strict';

const result = (next) => ({
    next, return() {
        console.log('closed');
        return {};
    },
});
const asynchronous = (next) => ({ [Symbol.asyncIterator]: () => result(next) });
const synchronous = (next) => ({ [Symbol.iterator]: () => result(next) });
const getter = (key) => () => ({ done: false, get [key]() { throw key; } });
const throws = () => { throw 'next'; };

async function loop(iterable, body = (value) => console.log(value)) {
    try {
        for await (const value of iterable)
            body(value);
        console.log('end');
    } catch (error) {
        console.log('caught', error.name ?? error);
    }
}

(async () => {
    for (const next of [() => Promise.reject('rejected'), throws, () => 5,
        () => Promise.resolve(5), getter('done'), getter('value'),
        () => Promise.resolve({ done: true })])
        await loop(asynchronous(next));
    for (const next of [throws, () => 5, getter('done'), getter('value'),
        () => ({ done: true, value: Promise.reject('last') })])
        await loop(synchronous(next));
    const endless = () => ({ done: false, value: 1 });
    for (const iterable of [asynchronous(endless), synchronous(endless)])
        await loop(iterable, () => { throw 'body'; });
    try {
        for await (const { a } of asynchronous(() => ({ done: false, value: null })))
            console.log(a);
    } catch (error) {
        console.log('caught', error.name);
    }
    for (const iterable of [asynchronous(endless), synchronous(endless)])
        for await (const value of iterable) {
            console.log(value);
            break;
        }
})();
