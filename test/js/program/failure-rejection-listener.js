process.on('unhandledRejection', (reason, promise) =>
    console.log('unhandled', reason, promise instanceof Promise));
const late = Promise.reject('late');
Promise.reject('never handled');
const soon = Promise.reject('soon');
process.nextTick(() => soon.catch(() => console.log('handled soon')));
(async () => { throw 'async'; })();
setTimeout(() => late.catch(() => console.log('handled late')), 2);
