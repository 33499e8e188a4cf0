console.log('base');
queueMicrotask(() => console.log('job of base'));
