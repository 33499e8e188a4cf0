'use strict';
// What main.js forks.
const how = process.argv[2];

if (how === 'echo') {
    process.on('message', (message) => process.send({ echo: message }));
    process.send({ argv: process.argv.slice(2), connected: process.connected, A: process.env.A,
        hidden: [process.env.NODE_CHANNEL_FD, process.env.NODE_CHANNEL_SERIALIZATION_MODE],
        channel: typeof process.channel });
} else if (how === 'disconnects') {
    process.on('disconnect', () => console.log('disconnected', process.connected));
    process.on('message', () => {});
    process.send('bye', () => process.disconnect());
} else if (how === 'exits') {
    process.send('one');
    process.send('two', () => process.exit(4));
} else if (how === 'throws') {
    process.send('before', () => { throw new Error('thrown'); });
} else if (how === 'unheard') {
    process.send('nobody listens here'); // and so it ends
}
