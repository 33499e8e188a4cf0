'use strict';
// What main.js forks: it loads net and child_process before it uses process.
const net = require('net');
const { fork } = require('child_process');

process.on('message', (message) => process.send([message, typeof net.connect, typeof fork],
    () => process.disconnect()));
