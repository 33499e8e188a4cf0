// exit: 1
// stderr: failure-module.mjs:7
// stderr: RangeError: in module
console.log('before');
await null;
process.on('exit', (code) => console.log('exit', code));
throw new RangeError('in module');
