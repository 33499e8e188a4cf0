'use strict';
const spawn = require('cross-spawn');

console.log(spawn.sync('printf', ['%s|', 'a b', '"c"', '*'], { encoding: 'utf8' }).stdout);
const none = spawn.sync('no-such-program');
console.log(none.status, none.error.code, none.error.syscall);
spawn('sh', ['-c', 'echo out; exit 3'], { stdio: ['ignore', 'pipe', 'inherit'] })
    .on('exit', (code, signal) => console.log('exit', code, signal))
    .stdout.on('data', (data) => console.log(`${data}`.trim()));
spawn('no-such-program').on('error', (error) => console.log(error.message));
