// stderr: on stderr
// stdout: what write returns and calls, its errors, its order with ticks.
const { stdout, stderr } = process;
console.log(stdout.fd, stderr.fd, stdout.writable, stdout.writableLength, stdout.writableHighWaterMark, stdout.isTTY, stdout.columns, stdout.writableEnded, stdout._isStdio);
for (const bad of [null, undefined, 5, {}, [], true, () => {}, Symbol('s')])
    try { stdout.write(bad); } catch (error) { console.log(error.code, error.message); }
try { stdout.write('x', 'nope'); } catch (error) { console.log(error.code, error.message); }
console.log(stdout.write('text\n'), stdout.write(new Uint8Array([98, 121, 116, 101, 115, 10])), stdout.write('x'.repeat(10000) + '\n'), stdout.write(''));
console.log(stdout.write(new Uint8Array([120, 121, 122, 10]).subarray(1, 4)));
stdout.write('h\u00e9 \ud83c\udf0a \ud800\n');
stdout.write('one\n', () => console.log('one done'));
stdout.write('two\n', 'utf8', (error) => console.log('two done', error));
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('micro'));
stderr.write('on stderr\n');
stdout.on('finish', () => stderr.write('finish\n'));
process.on('exit', () => stdout.write('from exit\n'));
