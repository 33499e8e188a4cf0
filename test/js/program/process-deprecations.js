// util.deprecate warns once for each code, emitWarning each time.
const { deprecate } = require('util');
process.on('warning', ({ name, code, message }) => console.log(name, code, message));
const old = deprecate(() => 1, 'old', 'DEP1');
const older = deprecate(() => 2, 'older', 'DEP1');
const other = deprecate(() => 3, 'other');
console.log(old() + old() + older() + other() + other());
process.emitWarning('again', 'DeprecationWarning', 'DEP1');
process.emitWarning('again', 'DeprecationWarning', 'DEP1');
