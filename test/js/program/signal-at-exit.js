// exit: 3
// A signal that arrives after the last turn of the loop, while it still has
// listeners, does not end the program in place of its exit code.
process.exitCode = 3;
for (const signal of ['SIGHUP', 'SIGTERM', 'SIGALRM']) {
    process.on(signal, () => console.log('never'));
    process.on('exit', () => process.kill(process.pid, signal));
}
process.on('exit', (code) => console.log('exit', code));
