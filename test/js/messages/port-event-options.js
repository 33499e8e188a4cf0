// What a MessageEvent may be made of, and close with a function to call then.
const { MessageChannel } = require('worker_threads');
const { port1, port2 } = new MessageChannel();
for (const init of [undefined, {}, { ports: [] }, { ports: [port1] }, { ports: [1] },
    { ports: 'ab' }, { ports: new Set([{}]) }, { source: null }, { source: port1 },
    { source: 1 }, { source: {} }, { lastEventId: 5, origin: 7, data: undefined }])
    try {
        const event = new MessageEvent('message', init);
        console.log(event.data, event.origin, event.lastEventId, event.source === port1,
            event.ports.length);
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
for (const ports of [1, null])
    try {
        new MessageEvent('message', { ports });
    } catch (error) {
        console.log(error.name);
    }

port2.on('message', (message) => {
    console.log(message);
    if (message === 'last')
        port1.close(() => console.log('closed'));
});
port2.on('close', () => console.log('the other, too'));
port1.postMessage('first');
port1.postMessage('last');
