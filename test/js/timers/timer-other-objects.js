// Methods of timers called on other objects have no effect; Event's constants
// are read-only.
'use strict';

const timeout = setTimeout(() => {}), immediate = setImmediate(() => {});
for (const key of ['unref', 'refresh', 'close', 'hasRef', Symbol.toPrimitive])
    for (const other of [{}, [], () => {}]) {
        const result = timeout[key].call(other);
        console.log(key, result === other, typeof result);
    }
for (const key of ['ref', 'unref', 'hasRef']) {
    const other = {}, result = immediate[key].call(other);
    console.log(key, result === other, typeof result);
}
for (const key of ['unref', 'hasRef'])
    try {
        console.log(timeout[key].call(undefined));
    } catch (error) {
        console.log(error.name);
    }

for (const key of ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'])
    try {
        console.log(Object.getOwnPropertyDescriptor(Event, key));
        Event[key] = 5;
    } catch (error) {
        console.log(error.name, Event[key]);
    }
