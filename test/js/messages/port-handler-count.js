// A handler that was taken away is no listener any more.
const { port1 } = new MessageChannel();
console.log(port1.listenerCount('message'));
port1.onmessage = () => {};
port1.on('message', () => {});
console.log(port1.listenerCount('message'), port1.hasRef());
port1.onmessage = null;
console.log(port1.listenerCount('message'), port1.hasRef());
port1.onmessage = () => {};
console.log(port1.listenerCount('message'));
port1.close();
