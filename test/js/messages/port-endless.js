// Messages that are answered by messages, forever: timers, immediates and files
// have their turn between them.
'use strict';
const { port1, port2 } = new MessageChannel();
let count = 0;
port2.on('message', () => {
    count++;
    port1.postMessage(null);
});
for (let i = 0; i < 3; i++)
    port1.postMessage(null);

const timer = new Promise((resolve) => setTimeout(resolve, 1));
const immediate = new Promise((resolve) => setImmediate(resolve));
const file = new Promise((resolve) => require('fs').stat(__filename, resolve));
Promise.all([timer, immediate, file]).then(() => {
    console.log('all had their turn', count > 0);
    port2.close();
});
