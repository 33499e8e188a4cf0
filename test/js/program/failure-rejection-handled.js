// stderr: PromiseRejectionHandledWarning: Promise rejection was handled asynchronously (rejection id: 6)
// A rejection that was told of gets a handler after all.
process.on('unhandledRejection', (reason, promise) => {
    console.log('unhandled', reason);
    if (reason === 'at once')
        promise.catch(() => console.log('caught', reason));
});
const known = (promise) => console.log('handled', promise === late || promise);
process.on('rejectionHandled', known);
const late = Promise.reject('late');
Promise.reject('at once');
Promise.reject('in time').catch(() => console.log('caught in time'));
Promise.reject('in a tick').catch(() => {});
const tick = Promise.reject('next tick');
process.nextTick(() => tick.catch(() => console.log('caught in next tick')));
setTimeout(() => {
    console.log('timer');
    late.catch(() => console.log('caught late'));
    late.catch(() => console.log('caught again'));
    process.nextTick(() => console.log('tick'));
    setImmediate(() => {
        process.off('rejectionHandled', known);
        const other = Promise.reject('with a warning');
        setTimeout(() => other.catch(() => {}), 1);
    });
}, 1);
process.on('warning', (warning) => console.log(warning.name, warning.message));
