// virtual clock
// In a module promises come before next-ticks: it runs in a job itself.
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('promise'));
queueMicrotask(() => console.log('microtask'));
console.log('module');
await null;
console.log('after await');
process.nextTick(() => console.log('tick 2'));
await null;
console.log('after await 2');
setTimeout(() => console.log('timeout'), 500);
setImmediate(() => console.log('immediate'));
