// stderr: warned { a: 1 }
// stderr: Assertion failed: why 1
// stderr: Assertion failed
// stderr: Trace: here 5
// stderr: Warning: No such label 'none' for console.timeEnd()
console.warn('warned', { a: 1 });
console.error('error');
console.assert(false, 'why %d', 1);
console.assert(false);
console.trace('here', 5);
console.timeEnd('none');
console.log('out');
