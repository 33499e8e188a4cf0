// exit: 5
process.on('exit', (code) => {
    console.log('exit', code);
    process.nextTick(() => console.log('never'));
    process.exit(process.exitCode + 1);
});
setTimeout(() => console.log('never'), 1);
Promise.resolve().then(() => {
    try {
        process.exit(4);
    } catch {
        console.log('never');
    } finally {
        console.log('never');
    }
});
