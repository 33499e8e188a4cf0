// exit: 13
process.on('exit', (code) => console.log('exit', code));
await new Promise(() => {});
console.log('never');
