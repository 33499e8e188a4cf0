// A 'clientError' listener that leaves the socket open: the server notices all the
// same that the client leaves.
import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';

const server = http.createServer((request, response) => {
    request.on('error', () => {});
    request.resume().on('end', () => response.end('ok'));
});
server.on('clientError', () => server.emit('refused'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');

async function leave(text) {
    const accepted = once(server, 'connection');
    const refused = once(server, 'refused');
    const client = net.connect(server.address().port, '127.0.0.1');
    client.on('error', () => {});
    client.write(text);
    const [socket] = await accepted;
    const closed = once(socket, 'close');
    await refused;
    client.destroy();
    await closed;
    console.log('closed:', JSON.stringify(text.slice(-8)));
}

const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
await leave('GET / HTTP/9\r\n\r\n');
await leave(`${head}zz\r\n`);
await leave(`${head}5\r\nhello\r\nx`);
server.close();
await once(server, 'close');
console.log('server closed');
