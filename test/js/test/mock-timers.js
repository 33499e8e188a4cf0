// mock.timers: timers, immediates and dates that move by tick().
'use strict';

const { mock } = require('node:test');
const timers = require('node:timers');
const promises = require('node:timers/promises');

const attempt = (fn) => {
    try {
        console.log('returned', fn());
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
};
const say = (name) => (...args) => console.log(name, ...args, 'at', Date.now());

for (const fn of [() => mock.timers.tick(), () => mock.timers.runAll(),
    () => mock.timers.setTime(5), () => mock.timers.reset(),
    () => mock.timers.enable({ apis: ['other'] }), () => mock.timers.enable({ apis: 'x' }),
    () => mock.timers.enable({ now: -1 })])
    attempt(fn);
mock.timers.reset();

const real = { Date, setTimeout };
mock.timers.enable();
attempt(() => mock.timers.enable());
console.log(Date.now(), new Date().toISOString(), new Date(5).getTime(), Date.name, Date.length,
    new Date() instanceof real.Date, Date.UTC(1970, 0, 2), Date.isMock);
console.log(setTimeout === real.setTimeout, timers.setTimeout === setTimeout);

const timeout = setTimeout(say('ten'), 10, 'x', 'y');
console.log(timeout.hasRef(), timeout.unref() === timeout, timeout.ref() === timeout);
setTimeout(say('zero'), 0);
setTimeout(say('five'), 5);
setTimeout(say('five again'), 5);
const interval = setInterval(say('every four'), 4);
setImmediate(say('immediate'), 7);
clearImmediate(setImmediate(say('never')));
clearTimeout(setTimeout(say('never'), 1));
setTimeout(() => setTimeout(say('nested'), 2), 3);
for (const ms of [0, 1, 3, 8]) {
    console.log('tick', ms);
    mock.timers.tick(ms);
}
clearInterval(interval);
attempt(() => mock.timers.tick(-1));

setTimeout(say('B'), 50);
setTimeout(say('A'), 100);
mock.timers.runAll();
mock.timers.setTime(1000);
console.log(Date.now());
attempt(() => mock.timers.setTime(-1));
timers.setTimeout(say('node:timers'), 1);
mock.timers.tick();

(async () => {
    let promise = promises.setTimeout(5, 'value');
    mock.timers.tick(5);
    console.log(await promise);
    promise = promises.setImmediate('soon');
    mock.timers.tick(0);
    console.log(await promise);
    const controller = new AbortController();
    promise = promises.setTimeout(5, 'value', { signal: controller.signal });
    controller.abort();
    await promise.catch((error) => console.log(error.name, error.code, error.message));
    const iterator = promises.setInterval(10, 'step');
    promise = iterator.next();
    mock.timers.tick(10);
    console.log(await promise, await iterator.return());

    mock.timers.reset();
    console.log(Date === real.Date, setTimeout === real.setTimeout);
    mock.timers.enable({ apis: ['setTimeout'] });
    console.log(Date === real.Date);
    setTimeout(() => console.log('only setTimeout'), 1000);
    mock.timers.tick(1000);
    mock.timers.reset();
    mock.timers.enable({ apis: ['Date'], now: 5000 });
    mock.timers.tick(10);
    console.log(Date.now(), setTimeout === real.setTimeout);
    mock.reset();
    mock.timers.enable({ now: new Date(123) });
    console.log(Date.now());
    mock.timers.reset();
    console.log(Date === real.Date);
})();
