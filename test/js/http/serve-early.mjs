// weir only
// A server that answers before the body has arrived: what it was reading is read to
// the end; what it has stopped reading, or never began to, is discarded, and the
// connection goes on.
import http from 'node:http';
import { serve } from 'weir:http';

let read;
const handlers = {
    text(request) { read = request.text().then((text) => `read ${text.length}`); },
    stream(request) {
        read = (async () => {
            let size = 0;
            for await (const chunk of request.body)
                size += chunk.length;
            return `read ${size}`;
        })();
    },
    unread() { read = 'nothing'; },
    // Read once, and then neither read nor cancelled.
    async abandoned(request) {
        await request.body.getReader().read();
        read = 'a piece';
    },
    cancelled(request) { read = request.body.cancel().then(() => 'cancelled'); },
};
const server = await serve({ port: 0, hostname: '127.0.0.1', async fetch(request) {
    await handlers[new URL(request.url).pathname.slice(1)](request);
    return new Response('early');
} });

const once = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const ports = new Set();

// The second half is sent when the response has come.
async function ask(name, size) {
    const req = http.request({ port: server.port, host: '127.0.0.1', agent, path: `/${name}`,
        method: 'POST', headers: { 'Content-Length': size } });
    req.on('socket', (socket) => ports.add(socket.localPort ?? once(socket, 'connect')
        .then(() => ports.add(socket.localPort))));
    req.write(Buffer.alloc(size / 2));
    const res = await once(req, 'response');
    let text = '';
    res.on('data', (data) => { text += data; });
    await once(res, 'end');
    req.end(Buffer.alloc(size / 2));
    await once(req, 'close');
    console.log(name, size, res.statusCode, text, await read);
}

for (const name of Object.keys(handlers))
    for (const size of [10, 200_000, 2_000_000])
        await ask(name, size);
console.log([...ports].filter((port) => typeof port === 'number').length);
agent.destroy();
console.log((await server.drain({ deadline: 30_000 })).forced);
