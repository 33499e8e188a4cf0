import './base.mjs';
console.log('two');
queueMicrotask(() => console.log('job of two'));
await new Promise((resolve) => process.nextTick(resolve));
console.log('two after tick');
