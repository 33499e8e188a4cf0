// A callback that throws fails alone; the others keep their order.
process.on('uncaughtException', (error, origin) =>
    console.log('caught', error.message, origin));
setTimeout(() => { console.log('t1'); throw new Error('t1'); }, 1);
setTimeout(() => console.log('t2'), 1);
setImmediate(() => { console.log('i1'); throw new Error('i1'); });
setImmediate(() => console.log('i2'));
process.nextTick(() => console.log('n2'));
queueMicrotask(() => { console.log('m1'); throw new Error('m1'); });
queueMicrotask(() => console.log('m2'));
Promise.reject(new Error('r1'));
const start = Date.now();
while (Date.now() - start < 5);
console.log('script');
