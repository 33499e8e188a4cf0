// exit: 1
// stderr: Error: of a job
// Jobs that a listener of "exit" makes still run, and may fail; its next-ticks
// and immediates do not.
process.on('exit', (code) => {
    console.log('exit', code);
    setImmediate(() => console.log('never'));
    process.nextTick(() => console.log('never'));
    Promise.resolve().then(() => console.log('job')).then(() => {
        console.log('next job');
        throw new Error('of a job');
    });
});
