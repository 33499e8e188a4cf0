'use strict';
// What main.js kills.
process.on('message', () => {});
process.send('here');
