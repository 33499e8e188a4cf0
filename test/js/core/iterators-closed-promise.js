// weir only: Node 20 has an older standard
// A rejected promise among the values of an iterator that is not asynchronous
// closes it (ES2025).
'use strict';

const values = (last) => ({
    [Symbol.iterator]() {
        let n = 0;
        return {
            next: () => ({ done: false, value: n++ === 0 ? 'first' : last() }),
            return() {
                console.log('closed');
                return {};
            },
        };
    },
});
const hostile = () => Object.defineProperty(Promise.resolve(1), 'constructor',
    { get() { throw 'constructor'; } });

async function* delegates(last) {
    yield* values(last);
}

(async () => {
    for (const last of [() => Promise.reject('rejected'), hostile])
        for (const iterable of [values(last), delegates(last)])
            try {
                for await (const value of iterable)
                    console.log(value);
            } catch (error) {
                console.log('caught', error);
            }
    const once = delegates(() => 2);
    await once.next();
    await once.throw('thrown').catch((error) => console.log(error.name));
})();
