// The listeners of events.on leave in the reverse order.
const { EventEmitter, on } = require('events');
const emitter = new EventEmitter();
emitter.on('removeListener', (name) => console.log('removed', name));
(async () => {
    setImmediate(() => emitter.emit('item', 1));
    for await (const [item] of on(emitter, 'item', { close: ['end'] })) {
        console.log(item);
        break;
    }
})();
