// virtual clock
// An interval that was unref'ed stays so when it comes again, and one that clears
// itself does not keep the program for another period.
'use strict';
let count = 0;
setInterval(() => { count++; }, 10).unref();
const timer = setTimeout(() => {}, 1);
timer.unref();
setTimeout(() => timer.refresh(), 20); // fired already; unref'ed all the same
const began = performance.now();
const self = setInterval(() => clearInterval(self), 100);
process.on('exit', () => {
    const end = performance.now() - began;
    console.log(count >= 8 && count <= 11, end >= 99 && end < 190 || end);
});
