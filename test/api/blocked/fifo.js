// Reading a FIFO that nobody writes to, until the test does.
setTimeout(() => {
    require('fs').readFileSync(process.argv[2]); // here
}, 1);
