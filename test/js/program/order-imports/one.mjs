import './base.mjs';
console.log('one');
Promise.resolve().then(() => console.log('job of one'));
process.nextTick(() => console.log('tick of one'));
await null;
console.log('one after await');
