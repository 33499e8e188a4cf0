// weir only
// stderr: MicrotaskBudgetWarning: Many microtasks in a row
// stderr:     at next (
// A chain of promises without end, and a timer all the same.
// long: address
let stop = false, jobs = 0;
(function next() {
    jobs++;
    if (!stop)
        Promise.resolve().then(next);
})();
setTimeout(() => {
    console.log('timer', jobs > 100000);
    stop = true;
}, 1000);
