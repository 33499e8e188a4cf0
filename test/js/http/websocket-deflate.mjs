// weir only
// permessage-deflate: clients offer it, and a server agrees if it is told to.
import { createServer } from 'node:net';
import { serve } from 'weir:http';

const once = (target, type) => new Promise((resolve) =>
    target.addEventListener(type, resolve, { once: true }));
const server = await serve({ port: 0, hostname: '127.0.0.1', fetch(request, context) {
    const { pathname } = new URL(request.url);
    const { socket, response } = context.upgrade({ perMessageDeflate: pathname === '/deflate' });
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => socket.send(data);
    socket.onopen = () => socket.send(`server: ${socket.extensions}`);
    return response;
} });

// Count the bytes that pass between a client and the server.
const bytes = { toServer: 0, toClient: 0 };
const { connect } = await import('node:net');
const proxy = createServer((client) => {
    const upstream = connect(server.port, '127.0.0.1');
    client.on('data', (data) => { bytes.toServer += data.length; upstream.write(data); });
    upstream.on('data', (data) => { bytes.toClient += data.length; client.write(data); });
    client.on('close', () => upstream.destroy()).on('error', () => {});
    upstream.on('close', () => client.destroy()).on('error', () => {});
});
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));

for (const path of ['/plain', '/deflate']) {
    const socket = new WebSocket(`ws://127.0.0.1:${proxy.address().port}${path}`);
    socket.binaryType = 'arraybuffer';
    console.log(path, JSON.stringify(socket.extensions));
    const greeting = once(socket, 'message');
    await once(socket, 'open');
    console.log('client:', socket.extensions);
    console.log((await greeting).data);
    bytes.toServer = bytes.toClient = 0;
    const text = 'a text that repeats itself. '.repeat(4000);
    for (const message of [text, new TextEncoder().encode(text), '', 'x']) {
        socket.send(message);
        const { data } = await once(socket, 'message');
        console.log(typeof data === 'string' ? data === message
            : Buffer.compare(Buffer.from(data), message) === 0);
    }
    console.log('compressed:', bytes.toServer < 10_000, bytes.toClient < 10_000);
    socket.close();
    await once(socket, 'close');
}
proxy.close();
await server.drain();
