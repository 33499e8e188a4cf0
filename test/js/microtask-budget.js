// weir only
// stderr: 100000 microtasks in a row
// LESSONS, scene j: a chain of promises without end, and a timer all the same.
let stop = false, jobs = 0;
(function next() {
    jobs++;
    if (!stop)
        Promise.resolve().then(next);
})();
setTimeout(() => {
    console.log('timer', jobs > 100000);
    stop = true;
}, 10);
