// stdin, stdout and stderr are streams.  Run with pipes.
// stdin | stdio-streams.js
const { Readable, Writable, Duplex, pipeline, finished } = require('stream');
const { stdin, stdout, stderr } = process;
for (const one of [stdin, stdout, stderr])
    console.log(one instanceof Readable, one instanceof Writable, one instanceof Duplex, one.fd, one._isStdio, one._type, one.isTTY);
console.log(stdin.readable, stdin.writable, stdin.readableFlowing, stdin.readableEnded, stdin.destroyed, stdin.readableHighWaterMark);
console.log(stdout.readable, stdout.writable, stdout.writableLength, stdout.writableHighWaterMark, stdout.destroyed, stdout.writableObjectMode);
console.log(process.stdout === stdout, typeof stdout._handle?.setBlocking, Object.getOwnPropertyDescriptor(process, 'stdout').set);
console.log(stdout.write('sync\n'), stdout.writableLength);
stdout.write('written\n', (error) => console.log('callback', error));
stdout.write(Buffer.from('bytes\n'));
stdout.write('c3a90a', 'hex');
stdout.cork();
stdout.write('corked ');
console.log('past the cork');
stdout.uncork();
stdout.write('\n');
console.log(stdout.listenerCount('error'), stdout.listenerCount('drain'));
stdout.on('close', () => console.log('stdout close', stdout.destroyed, stdout.writable));
stdout.destroy();
console.log(stdout.destroyed);
process.nextTick(() => {
    console.log('still there', stdout.destroyed);
    let lines = 0;
    pipeline(stdin, async function* (source) {
        for await (const chunk of source)
            lines += String(chunk).split('\n').length - 1;
        yield `lines: ${lines}\n`;
    }, stdout, (error) => console.log('piped', error, stdout.writableEnded));
});
try {
    process.stdout.write(5);
} catch (error) {
    console.log(error.code);
}
