// Structured clones, of values of every kind.
const value = { list: Array.from({ length: 400 }, (_, i) => ({ i, date: new Date(i), re: /a+/g, text: `t${i}` })), map: new Map([[1, new Set([2])]]),
    bytes: new Uint8Array(5000), error: new RangeError('r'), big: 10n ** 50n };
value.self = value;
let copy = value;
for (let i = 0; i < 8; i++) copy = structuredClone(copy);
const { port1, port2 } = new MessageChannel();
port2.on('message', (message) => { console.log(message.list.length, message.self === message, 'done'); port2.close(); });
port1.postMessage(copy);
