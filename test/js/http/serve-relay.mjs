// weir only
// serve(): a response of fetch() that is returned as it is.
import { serve } from 'weir:http';
import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';

const text = 'relayed '.repeat(1000);
const origin = await serve({ port: 0, hostname: '127.0.0.1', fetch(request) {
    const headers = { 'x-a': '1', 'vary': 'accept-encoding' };
    return request.url.endsWith('/gzip')
        ? new Response(gzipSync(text), { headers: { ...headers, 'content-encoding': 'gzip' } })
        : request.url.endsWith('/unknown')
            ? new Response('as it is', { headers: { ...headers, 'content-encoding': 'unknown' } })
            : new Response('plain', { headers });
} });
const relay = await serve({ port: 0, hostname: '127.0.0.1', async fetch(request) {
    const url = new URL(request.url);
    const response = await fetch(new URL(url.pathname, origin.url), { method: request.method });
    return url.search === '?clone' ? response.clone() : response;
} });

// Read with a socket, because fetch() would hide what is wrong.
const ask = (method, target) => new Promise((resolve, reject) => {
    const socket = connect(relay.port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1').on('data', (piece) => { answer += piece; }).on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
});

for (const [method, target] of [['GET', '/gzip'], ['GET', '/gzip?clone'], ['HEAD', '/gzip'],
    ['GET', '/plain'], ['GET', '/unknown']]) {
    const answer = await ask(method, target);
    const end = answer.indexOf('\r\n\r\n');
    const fields = answer.slice(0, end).split('\r\n').slice(1)
        .filter((line) => !/^date:/i.test(line)).map((line) => line.toLowerCase()).sort();
    const body = answer.slice(end + 4).replace(/(^|\r\n)[0-9a-f]+\r\n/g, '').trim();
    console.log(method, target, fields, body === text.trim() || body);
}
await relay.drain({ deadline: 10_000 });
await origin.drain({ deadline: 10_000 });
