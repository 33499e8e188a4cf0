// exit: 3
process.exitCode = 3;
process.on('exit', (code) => console.log(code));
