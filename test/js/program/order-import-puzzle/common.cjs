console.log('common runs');
process.nextTick(() => console.log('tick of common'));
queueMicrotask(() => console.log('job of common'));
module.exports = 'common';
