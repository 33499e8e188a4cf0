// process.noDeprecation silences deprecations, and nothing else.
'use strict';

process.on('warning', ({ name, message }) => console.log(name, message));
process.emitWarning('first', 'DeprecationWarning');
process.noDeprecation = true;
process.emitWarning('second', 'DeprecationWarning', 'DEP0');
process.emitWarning('third', { type: 'DeprecationWarning' });
process.emitWarning(Object.assign(new Error('fourth'), { name: 'DeprecationWarning' }));
process.emitWarning('fifth', 'OtherWarning');
process.noDeprecation = false;
process.emitWarning('sixth', 'DeprecationWarning');
