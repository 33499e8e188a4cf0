// A server that answers before the body has arrived: it can read the body
// afterwards, quickly, slowly or not at all, and the connection goes on.
'use strict';
const http = require('http');

const once = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));
const seen = [];

const handlers = {
    flowing(req) {
        let size = 0;
        req.on('data', (data) => { size += data.length; });
        req.on('end', () => seen.push(`end ${size}`));
    },
    async slowly(req) {
        let size = 0;
        for await (const data of req) {
            size += data.length;
            await new Promise((resolve) => setImmediate(resolve));
        }
        seen.push(`read ${size}`);
    },
    unread() {},
    piped(req) {
        const { PassThrough } = require('stream');
        req.pipe(new PassThrough()).resume().on('end', () => seen.push('piped'));
    },
};

const server = http.createServer((req, res) => {
    const [, name] = req.url.split('/');
    req.on('aborted', () => seen.push('aborted'));
    req.on('error', (error) => seen.push(error.code));
    handlers[name](req);
    req.once('close', () => server.emit('read', req.complete));
    res.end('early');
});

// The second half is sent when the response has come.
async function ask(agent, name, size) {
    const req = http.request({ port: server.address().port, host: '127.0.0.1', agent,
        path: `/${name}`, method: 'POST', headers: { 'Content-Length': size } });
    const read = once(server, 'read');
    req.write(Buffer.alloc(size / 2));
    const res = await once(req, 'response');
    let text = '';
    res.on('data', (data) => { text += data; });
    await once(res, 'end');
    req.end(Buffer.alloc(size / 2));
    await once(req, 'close');
    const isComplete = await read;
    while (name !== 'unread' && seen.length === 0)
        await new Promise((resolve) => setImmediate(resolve));
    console.log(name, size, res.statusCode, text, 'complete:', isComplete, seen.splice(0).join());
}

server.listen(0, '127.0.0.1', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (const name of ['flowing', 'slowly', 'piped'])
        for (const size of [10, 100_000, 2_000_000])
            await ask(agent, name, size);
    await ask(agent, 'unread', 100_000);
    await ask(agent, 'unread', 10);
    agent.destroy();
    server.close();
});
