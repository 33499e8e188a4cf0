console.log('deep runs');
queueMicrotask(() => console.log('job of deep'));
