'use strict';
// What main.js forks.
process.on('message', (message) => process.send(message));
