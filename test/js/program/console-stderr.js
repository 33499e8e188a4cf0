// stderr: warned { a: 1 }
// stderr: Assertion failed: why 1
// stderr: Assertion failed
// stderr: Assertion failed: [object Object]
// stderr: Trace: here 5
// stderr: Warning: No such label 'none' for console.timeEnd()
console.warn('warned', { a: 1 });
console.error('error');
console.assert(false, 'why %d', 1);
console.assert(false);
console.assert(0, { a: 1 });
console.trace('here', 5);
console.timeEnd('none');
console.log('out');
