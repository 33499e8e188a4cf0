// The codings and the reason of a response that fetch() receives.
import { createServer } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

const text = 'decoded '.repeat(100);
const codings = { gzip: gzipSync(text), deflate: deflateSync(text), br: brotliCompressSync(text),
    identity: Buffer.from(text), unknown: Buffer.from('as it is') };
const server = createServer((request, response) => {
    const coding = request.url.slice(1);
    if (!(coding in codings)) {
        response.writeHead(+coding, request.headers['x-reason']);
        return response.end();
    }
    response.setHeader('content-encoding', coding);
    response.setHeader('x-asked', request.headers['accept-encoding'] ?? 'none');
    response.end(request.method === 'HEAD' ? undefined : codings[coding]);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const at = (path) => `http://127.0.0.1:${server.address().port}/${path}`;

// What the program asks for does not matter: what comes is decoded.
for (const coding in codings)
    for (const asked of [coding, 'identity', 'a;q=0, *']) {
        const response = await fetch(at(coding), { headers: { 'Accept-Encoding': asked } });
        const body = await response.text();
        console.log(coding, response.headers.get('x-asked'), response.headers.get('content-encoding'),
            body === text || body);
    }
const ranged = await fetch(at('gzip'), { headers: { range: 'bytes=0-' } });
console.log('range', await ranged.text() === text);
const head = await fetch(at('gzip'), { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
console.log('head', head.status, head.headers.get('content-encoding'), await head.text());

for (const [status, reason] of [[200], [404], [418], [299], [500, 'My Own: reason']]) {
    const response = await fetch(at(status), reason && { headers: { 'x-reason': reason } });
    console.log(response.status, response.statusText, response.clone().statusText);
    await response.text();
}
server.close();
server.closeAllConnections();
