// util.promisify knows the timers, whose callback comes first.
const { promisify } = require('util');
const promises = require('timers/promises');
console.log(promisify(setTimeout) === promises.setTimeout, promisify(setImmediate) === promises.setImmediate);
console.log(setTimeout, setImmediate, setInterval);
(async () => {
    console.log(await promisify(setTimeout)(1, 'timeout'), await promisify(setImmediate)('immediate'));
})();
