exports.done = false; const a = require('./a'); exports.seen = a.done; exports.done = true; console.log('b');
