// setUncaughtExceptionCaptureCallback takes uncaught errors before any listener.
const show = (run) => {
    try {
        console.log(run());
    } catch ({ name, code, message }) {
        console.log(name, code, message);
    }
};

process.on('uncaughtExceptionMonitor', (error, origin) => console.log('monitor', error, origin));
process.on('uncaughtException', (error) => console.log('listener', error));
show(() => process.hasUncaughtExceptionCaptureCallback());
for (const fn of [undefined, 1, 'x', {}])
    show(() => process.setUncaughtExceptionCaptureCallback(fn));
show(() => process.setUncaughtExceptionCaptureCallback(null));
show(() => process.setUncaughtExceptionCaptureCallback((error) => console.log('captured', error)));
show(() => process.setUncaughtExceptionCaptureCallback(() => {}));
show(() => process.hasUncaughtExceptionCaptureCallback());
setTimeout(() => { throw 1; }, 1);
setTimeout(() => { throw 2; }, 2);
setTimeout(() => {
    process.setUncaughtExceptionCaptureCallback(null);
    console.log(process.hasUncaughtExceptionCaptureCallback());
    throw 3;
}, 3);
setTimeout(() => {
    process.setUncaughtExceptionCaptureCallback((error) => console.log('again', error));
    Promise.reject(new RangeError('rejected')).catch((error) => {
        error.stack = 'a stack';
        return Promise.reject(error);
    });
}, 4);
