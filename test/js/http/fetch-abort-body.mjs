// The body of a response fails as soon as the fetch is aborted: while somebody
// reads, while nobody does, and even if all of it has arrived.
import http from 'node:http';
import { once } from 'node:events';

const server = http.createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    response.write('x'.repeat(10));
    if (request.url === '/whole')
        response.end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');

async function attempt(path, reads, use) {
    const controller = new AbortController();
    const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`,
        { signal: controller.signal });
    const reader = use ? response.body.getReader() : undefined;
    for (let i = 0; i < reads; i++)
        await reader.read();
    controller.abort();
    if (!use)
        return response.text().then(console.log, ({ name }) => console.log(path, name));
    await reader.closed.then(console.log, ({ name }) => console.log(path, reads, name));
    await reader.read().then(console.log, ({ name }) => console.log('  read', name));
}

for (const path of ['/open', '/whole'])
    for (const reads of [0, 1])
        await attempt(path, reads, true);
await attempt('/open', 0, false);

const controller = new AbortController();
const response = await fetch(`http://127.0.0.1:${server.address().port}/whole`,
    { signal: controller.signal });
console.log(await response.text());
controller.abort(); // too late

// While text() reads a body, nobody else can.
const taken = await fetch(`http://127.0.0.1:${server.address().port}/whole`);
const text = taken.text();
console.log(taken.body.locked, taken.bodyUsed, await text);
const open = await fetch(`http://127.0.0.1:${server.address().port}/open`,
    { signal: AbortSignal.any([new AbortController().signal]) });
const reader = open.body.getReader();
await reader.read();
await reader.cancel();
server.closeAllConnections();
server.close();
