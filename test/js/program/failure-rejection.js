// exit: 1
// stderr: Error: lost
process.on('exit', (code) => console.log('exit', code));
process.nextTick(() => console.log('tick'));
setImmediate(() => console.log('never'));
Promise.reject(new Error('lost'));
