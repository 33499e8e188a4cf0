// Listeners of "exit" hear of a failure before it is reported, and may change the code.
// exit: 9
// stderr: in exit 1
// stderr: Error: second
process.exitCode = 5;
process.on('unhandledRejection', () => { throw new Error('second'); });
process.on('exit', (code) => {
    console.log(code);
    console.error(`in exit ${code}`);
    process.exitCode = 9;
});
Promise.reject(new Error('first'));
