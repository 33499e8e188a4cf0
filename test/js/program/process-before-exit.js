// When "beforeExit" comes again: after work for the loop and after an error
// that was heard; not after ticks, jobs and warnings alone.
const steps = [
    () => setImmediate(() => console.log('immediate')),
    () => { process.once('uncaughtException', (error) => console.log('heard', error.message)); throw new Error('thrown'); },
    () => { process.nextTick(() => console.log('tick')); Promise.resolve().then(() => console.log('job')); process.emitWarning('warned'); },
    () => console.log('never'),
];
process.on('warning', ({ message }) => console.log(message));
process.on('beforeExit', (code) => { console.log('beforeExit', code); steps.shift()(); });
process.on('exit', (code) => console.log('exit', code));
