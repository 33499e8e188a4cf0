// serve(), fetch, node:http and WebSockets: bodies of each kind in both directions.
import http from 'node:http';
import { serve } from 'weir:http';

const text = 'x'.repeat(3000);

async function* parts() {
    yield text;
    yield new Uint8Array(10_000);
}

function answer(request, context) {
    switch (new URL(request.url).pathname) {
    case '/text': return new Response(text, { headers: { a: 'b' } });
    case '/parts': return new Response(parts());
    case '/body': return new Response(request.body);
    case '/json': return request.json().then((all) => Response.json(all));
    case '/form': return request.formData().then((form) => new Response(form.get('a')));
    }
    const { socket, response } = context.upgrade();
    socket.onmessage = ({ data }) => socket.send(data);
    return response;
}

async function ask(url, body) {
    const response = await fetch(url, body === undefined ? {} : { method: 'POST', body });
    if (response.status !== 200)
        throw new Error(`status ${response.status}`);
    return (await response.text()).length;
}

const chat = (url) => new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.onopen = () => socket.send(text);
    socket.onmessage = ({ data }) => {
        socket.close();
        resolve(data.length);
    };
    socket.onerror = () => reject(new Error('the socket failed'));
});

const request = (port) => new Promise((resolve, reject) => {
    let size = 0;
    http.request({ port, host: '127.0.0.1', method: 'POST', headers: { a: ['b', 'c'] } })
        .on('error', reject)
        .on('response', (response) => response.on('error', reject)
            .on('data', (data) => { size += data.length; })
            .on('end', () => resolve(size)))
        .end(text);
});

const form = new FormData();
form.append('a', text);
form.append('b', new Blob([text]), 'c.txt');

// What one limit allows at a time differs; what goes wrong has to be said.
const server = await serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
const old = http.createServer((from, to) => {
    from.on('error', () => {});
    from.pipe(to);
});
await new Promise((resolve) => old.listen(0, '127.0.0.1', resolve));
const at = `http://127.0.0.1:${server.port}`;
try {
    console.log(await Promise.all([ask(`${at}/text`), ask(`${at}/parts`), ask(`${at}/body`, text),
        ask(`${at}/json`, '[1, {}]'), ask(`${at}/form`, form), chat(`ws${at.slice(4)}/chat`),
        request(old.address().port)]));
} finally {
    http.globalAgent.destroy();
    old.close();
    old.closeAllConnections();
    await server.close();
}
console.log('done');
