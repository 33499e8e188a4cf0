// stderr: [DEP0170] DeprecationWarning: The URL http://a:b:c/ is invalid. Future versions of Node.js will throw an error.
// A host with a colon that begins no port is warned of, once.
'use strict';
const url = require('url');

console.log(url.parse('http://a:b:c/').pathname);
console.log(url.parse('http://d:e/').pathname);
let count = 0;
process.on('warning', () => count++);
setImmediate(() => console.log(count));
