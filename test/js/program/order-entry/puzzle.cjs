const { parentPort } = require('worker_threads');
const log = (line) => parentPort ? parentPort.postMessage(line) : console.log(line);
setTimeout(() => {
    log('timeout');
    setImmediate(() => log('immediate of timeout'));
    process.nextTick(() => log('tick of timeout'));
}, 1);
const start = Date.now();
while (Date.now() - start < 5); // it is due
setImmediate(() => log('immediate'));
process.nextTick(() => log('tick'));
queueMicrotask(() => log('job'));
