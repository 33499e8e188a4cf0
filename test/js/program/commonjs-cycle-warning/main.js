// What is missing from the exports of a module in a cycle is warned of.
process.on('warning', ({ name, message }) => console.log(name, message));
exports.early = 1;
const b = require('./b');
console.log(b, b.seen);
exports.late = 2;
console.log(Object.getPrototypeOf(exports) === Object.prototype, 'x' in exports,
    Object.hasOwn(exports, 'early'));
