// console writes to what process.stdout is.
const { Writable } = require('stream');
console.log('before');
const lines = [];
const { write } = process.stdout;
process.stdout.write = function (text, ...rest) { lines.push(text); return true; };
console.log('captured', 1);
console.error('to stderr');
process.stdout.write = write;
console.log('after', lines);
const descriptor = Object.getOwnPropertyDescriptor(process, 'stderr');
const pieces = [];
Object.defineProperty(process, 'stderr', { configurable: true, value: new Writable({ write(chunk, encoding, done) { pieces.push(String(chunk)); done(); } }) });
process.stderr.write('replaced\n');
console.log(pieces);
Object.defineProperty(process, 'stderr', descriptor);
