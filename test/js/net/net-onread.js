// The onread option: bytes go to the program's buffer, and false stops the reading.
'use strict';
const net = require('net');

const server = net.createServer((socket) => socket.end('0123456789'.repeat(3)));
server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    let text = '', calls = 0;
    const buffer = Buffer.alloc(8);
    const client = net.connect({ port, host: '127.0.0.1', onread: { buffer,
        callback(size, bytes) {
            text += bytes.toString('latin1', 0, size);
            if (++calls === 2) {
                setImmediate(() => {
                    console.log('stopped', text.length, calls);
                    this.resume();
                });
                return false;
            }
            return true;
        } } });
    client.on('data', () => console.log('never'));
    client.on('end', () => console.log('end', text));
    client.on('close', () => {
        const made = [];
        const other = net.connect({ port, host: '127.0.0.1', onread: {
            buffer: () => made[made.push(Buffer.alloc(16)) - 1],
            callback: (size, bytes) => console.log(size, made.indexOf(bytes)) } });
        other.on('end', () => {
            console.log(made.length);
            pauseEach(port);
        });
    });
});

// A callback that pauses its socket is not called until that is resumed.
function pauseEach(port) {
    const seen = [];
    let isPaused = false;
    net.connect({ port, host: '127.0.0.1', onread: { buffer: Buffer.alloc(8),
        callback(size) {
            seen.push(isPaused ? 'paused' : size);
            isPaused = true;
            this.pause();
            setImmediate(() => {
                isPaused = false;
                this.resume();
            });
        } } }).on('end', () => {
        console.log(seen);
        server.close();
    });
}
