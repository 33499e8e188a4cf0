// virtual clock
// Signals are events of the loop, and do not keep it alive.
const log = (...args) => console.log(...args);
process.on('SIGUSR2', (name, number) => log('usr2', name, number));
process.once('SIGTERM', () => { log('term'); process.nextTick(log, 'tick'); });
log(process.kill(process.pid, 'SIGUSR2'), process.kill(process.pid, 0), process.kill(process.pid, 'SIGTERM'));
log('sent');
for (const bad of [() => process.kill('x'), () => process.kill(process.pid, 'SIGNOT'), () => process.kill(2 ** 22 + 5, 0)])
    try { bad(); } catch (error) { log(error.name, error.code); }
for (const name of ['SIGKILL', 'SIGSTOP'])
    try {
        process.on(name, () => {});
    } catch (error) {
        log(error.message, error.code, error.errno, error.syscall, process.listenerCount(name));
    }
setTimeout(() => {
    process.removeAllListeners('SIGUSR2');
    log(process.listenerCount('SIGTERM'), process.listenerCount('SIGUSR2'));
    process.on('SIGINT', () => log('never'));
}, 500);
