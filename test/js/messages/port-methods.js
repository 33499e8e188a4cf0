// MessagePort's interface: what it takes, what it refuses.
const { MessageChannel, MessagePort, receiveMessageOnPort, markAsUntransferable } =
    require('worker_threads');

function attempt(act) {
    try {
        console.log(act());
    } catch (error) {
        console.log(error.name, error.code, error.message, error instanceof DOMException);
    }
}
const { port1, port2 } = new MessageChannel();
const other = new MessageChannel();
attempt(() => port1.postMessage());
attempt(() => port1.postMessage(() => {}));
attempt(() => port1.postMessage({ f() {} }));
attempt(() => port1.postMessage(Symbol('x')));
attempt(() => port1.postMessage(port1));
attempt(() => port1.postMessage(port1, [port1]));
attempt(() => port1.postMessage(other.port1));
attempt(() => port1.postMessage(1, 5));
attempt(() => port1.postMessage(1, { transfer: 5 }));
attempt(() => port1.postMessage(1, [5]));
attempt(() => port1.postMessage(1, [{}]));
attempt(() => port1.postMessage(new Proxy({}, {})));
attempt(() => port1.postMessage(new WeakMap()));
attempt(() => port1.postMessage(Promise.resolve()));
attempt(() => port1.postMessage(1, [new ArrayBuffer(1), other.port1, other.port1]));
const buffer = new ArrayBuffer(3);
attempt(() => port1.postMessage(1, [buffer, buffer]));
attempt(() => structuredClone(buffer, { transfer: [buffer] }).byteLength);
attempt(() => port1.postMessage(buffer));
attempt(() => receiveMessageOnPort(port2));
const marked = new ArrayBuffer(4);
markAsUntransferable(marked);
attempt(() => { port1.postMessage(marked, [marked]); return marked.byteLength; });
attempt(() => receiveMessageOnPort(port2).message.byteLength);
attempt(() => receiveMessageOnPort(1));
attempt(() => new MessagePort());
attempt(() => [port1.hasRef(), port1.start(), port1.ref(), port1.hasRef(), port1.unref(), port1.hasRef()]);
attempt(() => [port1 instanceof EventTarget, String(port1), MessagePort === globalThis.MessagePort, MessageChannel === globalThis.MessageChannel]);
attempt(() => [port1.on('x', () => {}) === port1, port1.listenerCount('x'), port1.eventNames().includes('x')]);
port1.on('x', (...args) => console.log('x', args));
attempt(() => port1.emit('x', 7));
attempt(() => port1.removeAllListeners('x').listenerCount('x'));
attempt(() => port1.onmessage);

const closed = new MessageChannel();
closed.port1.close();
closed.port1.close();
attempt(() => closed.port1.postMessage(5));
attempt(() => port1.postMessage(1, [closed.port1]));
attempt(() => receiveMessageOnPort(closed.port1));

const seen = [];
const once = (message) => seen.push(['once', message]);
const on = (message) => seen.push(['on', message]);
port2.once('message', once);
port2.on('message', on);
port2.addEventListener('message', (event) => seen.push(['event', event.data, event.ports.length]), { once: true });
port2.onmessage = function (event) {
    seen.push(['onmessage', event.data, this === port2, event.target === port2, event.type]);
    if (event.data === 2)
        port2.off('message', on);
    if (event.data !== 3)
        return;
    console.log(seen);
    port2.onmessage = null;
    console.log(port2.hasRef());
};
port1.postMessage(1);
port1.postMessage(2);
port1.postMessage(3);
