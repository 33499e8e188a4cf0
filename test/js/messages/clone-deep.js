// weir only: depth is bounded by memory, not by the stack.
let deep = null;
for (let i = 0; i < 200000; i++)
    deep = i % 3 === 0 ? [deep] : i % 3 === 1 ? { deep } : new Map([[0, deep]]);
let copy = structuredClone(deep), depth = 0;
for (; copy !== null; depth++)
    copy = Array.isArray(copy) ? copy[0] : copy instanceof Map ? copy.get(0) : copy.deep;
console.log(depth);

// Ports in messages to ports, never taken out.
let port = new MessageChannel().port1;
for (let i = 0; i < 20000; i++) {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(port, [port]);
    port1.close();
    port = port2;
}
port.close();
console.log('closed');

// long: address thread
