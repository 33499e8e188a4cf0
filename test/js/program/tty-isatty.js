// Which descriptors are terminals: the master's side of a new one is.
const fs = require('node:fs');
const tty = require('tty');

const terminal = fs.openSync('/dev/ptmx', 'r+'), file = fs.openSync(__filename);
console.log(tty.isatty(terminal), tty.isatty(file), tty.isatty(process.stdout.fd));
fs.closeSync(terminal);
console.log(tty.isatty(terminal));
for (const value of [-1, 1.5, '0', 2 ** 32, NaN, null, undefined, {}])
    console.log(tty.isatty(value));
console.log(require('node:tty') === tty, tty.isatty.length);
