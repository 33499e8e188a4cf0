// weir only: Node 20 has no reportError
// exit: 1
// stderr: Error: nobody listens
// reportError ends a program that does not listen for uncaught exceptions.
'use strict';

process.on('exit', (code) => console.log('exit', code));
queueMicrotask(() => console.log('a job before'));
reportError(new Error('nobody listens'));
console.log('the rest of this job');
setTimeout(() => console.log('never'));
