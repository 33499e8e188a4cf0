import './deep.mjs';
console.log('late runs');
process.nextTick(() => console.log('tick of late'));
Promise.resolve().then(() => console.log('job of late'));
await null;
console.log('late goes on');
export const value = 'value';
