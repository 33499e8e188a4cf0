// weir only: Node has another message
// Getters that close or send a port which is to be sent: an error, and what else
// was to be sent stays.
'use strict';
function attempt(name, change) {
    const { port1, port2 } = new MessageChannel();
    const buffer = new ArrayBuffer(8);
    try {
        structuredClone({ get a() { change(port1); }, port1 },
            { transfer: [buffer, port1] });
        console.log(name, 'fine');
    } catch (error) {
        console.log(name, error.name, error.message, buffer.byteLength);
    }
    port2.close();
}
attempt('closed', (port) => port.close());
attempt('sent', (port) => structuredClone(port, { transfer: [port] }).close());
