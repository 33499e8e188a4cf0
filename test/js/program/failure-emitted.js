// exit: 1
// stderr: Error: made elsewhere
// stderr: Emitted 'error' event on Server instance at:
// stderr: later
// stderr: code: 'EMADE'
const { EventEmitter } = require('events');
class Server extends EventEmitter {}
const error = Object.assign(new Error('made elsewhere'), { code: 'EMADE' });
try {
    new Server().emit('error', error);
} catch (caught) {
    console.log(caught === error, caught.stack.includes('Emitted'));
}
process.on('uncaughtExceptionMonitor', (e) => console.log(e.stack.includes('Emitted')));
setTimeout(function later() {
    new Server().emit('error', error);
}, 1);
