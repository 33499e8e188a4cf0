// postMessage says whether there was a channel.
const { port1, port2 } = new MessageChannel();
const other = new MessageChannel();
console.log(port1.postMessage(1), other.port1.postMessage(port2, [port2]));
console.log(port2.postMessage(1), port1.postMessage(2));
other.port1.close();
console.log(other.port1.postMessage(3));
