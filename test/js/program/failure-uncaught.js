// exit: 1
// stderr: failure-uncaught.js:9
// stderr: throw new TypeError('nobody');
// stderr: TypeError: nobody
process.on('exit', (code) => console.log('exit', code));
setTimeout(() => console.log('never'), 1e6); // nobody waits for it
setImmediate(() => {
    setImmediate(() => console.log('never'));
    throw new TypeError('nobody');
});
