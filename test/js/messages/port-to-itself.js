// A port that is sent to where it is itself: the channel is lost, and said to be.
// stderr: Warning: The target port was posted to itself, and the communication channel was lost
'use strict';
const { port1, port2 } = new MessageChannel();
const bystander = new MessageChannel();

process.on('warning', ({ name, message }) => console.log(name, message));
const closed = [];
port2.on('close', () => closed.push('port2'));
bystander.port2.on('close', () => closed.push('bystander'));
process.on('exit', () => console.log(closed.sort()));
port2.postMessage('in vain', [port1, bystander.port1]);
port2.postMessage('to nobody');
