// exit: 7
// stderr: Error: second
process.on('exit', (code) => console.log('exit', code));
process.on('uncaughtException', (error) => {
    console.log(error.message);
    throw new Error('second');
});
throw new Error('first');
