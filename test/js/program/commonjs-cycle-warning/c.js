const b = require('./b');
console.log(b, b.replaced, b instanceof Object);
setTimeout(() => console.log(b.replaced, Object.getPrototypeOf(b) === Object.prototype));
