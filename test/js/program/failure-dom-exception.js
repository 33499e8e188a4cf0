// exit: 7
// stderr: DOMException [AbortError]: This operation was aborted
// A DOMException is an error: it is shown as one, and is the reason itself
// where nobody has caught it.
const { inspect, types } = require('util');
const first = (value) => console.log(inspect(value).split('\n')[0]);
class Own extends DOMException {}
first(new DOMException('message', 'AbortError'));
first(new DOMException('message'));
first(new Own('message', 'DataCloneError'));
first(AbortSignal.abort().reason);
console.log(inspect({ a: { b: { c: new DOMException('deep', 'TimeoutError') } } }).includes('DOMException [TimeoutError]: deep'));
console.log(types.isNativeError(new DOMException('')), inspect(Object.assign(new DOMException('m'), { more: 1 })).endsWith('{\n  more: 1\n}'));
try {
    new (require('events'))().emit('error', new DOMException('emitted', 'AbortError'));
} catch (error) {
    console.log(error.name, error.message, error.code);
}
process.once('uncaughtException', (error, origin) => {
    console.log(error.name, error.message, origin);
    AbortSignal.abort().throwIfAborted();
});
process.on('uncaughtExceptionMonitor', (error, origin) => console.log('monitor', error.name, origin));
process.exitCode = 0;
Promise.reject(new DOMException('rejected', 'AbortError'));
