'use strict';
// What main.js starts.
process.on('message', (message, handle) => process.send([message, handle === undefined]));
