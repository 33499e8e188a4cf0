exports.done = false; const b = require('./b'); exports.seen = b.done; exports.done = true; console.log('a');
