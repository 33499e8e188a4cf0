// weir only
// fetch(): redirects, bodies both ways, aborts, errors.  The server is serve().
import { serve } from 'weir:http';

let left = 0;
const server = await serve({ port: 0, hostname: '127.0.0.1', error: () => undefined,
    async fetch(request) {
        const url = new URL(request.url);
        switch (url.pathname) {
        case '/echo': return new Response(request.body, { headers: {
            'x-length': request.headers.get('content-length') ?? 'none',
            'x-type': request.headers.get('content-type') ?? 'none',
            'x-method': request.method } });
        case '/redirect': return Response.redirect(new URL('/end', request.url), +url.searchParams.get('status'));
        case '/loop': return Response.redirect(request.url);
        case '/endless': return new Response(new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(1000)),
            cancel() { left++; } }));
        case '/never':
            await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
            left++;
            return new Response();
        case '/large': return new Response(new Uint8Array(3e6).fill(97));
        case '/breaks': return new Response((async function* () {
            yield 'part';
            throw new Error('breaks');
        })(), { headers: { 'content-length': '100' } });
        case '/empty': return new Response(null, { status: 204 });
        }
        return new Response(`${request.method} ${url.pathname}`, { headers: { 'x-a': '1' } });
    } });
const at = (path) => new URL(path, server.url).href;
const attempt = async (fn) => {
    try {
        console.log(await fn());
    } catch (error) {
        console.log(`${error.name}: ${error.message}`, error.cause?.code ?? '');
    }
};

await attempt(async () => {
    const response = await fetch(at('/a?b#c'));
    return [response.status, response.ok, response.type, response.redirected,
        response.url === at('/a?b'), response.headers.get('x-a'), response.bodyUsed,
        await response.text(), response.bodyUsed];
});
await attempt(async () => (await fetch(at('/a'))).headers.set('a', 'b'));
for (const status of [301, 302, 303, 307, 308])
    await attempt(async () => {
        const response = await fetch(at(`/redirect?status=${status}`), { method: 'POST', body: 'x' });
        return [status, response.redirected, new URL(response.url).pathname, await response.text()];
    });
await attempt(async () => {
    const response = await fetch(at('/redirect?status=302'), { redirect: 'manual' });
    return [response.status, response.headers.get('location') === at('/end'), await response.text()];
});
await attempt(() => fetch(at('/redirect?status=302'), { redirect: 'error' }));
await attempt(() => fetch(at('/loop')));

const echo = async (init) => {
    const response = await fetch(at('/echo'), { method: 'POST', ...init });
    return [response.headers.get('x-length'), response.headers.get('x-type'), await response.text()];
};
await attempt(() => echo({ body: 'é' }));
await attempt(() => echo({ body: new Uint8Array([65]), method: 'PUT' }));
await attempt(() => echo({ body: new URLSearchParams({ a: 'b' }) }));
await attempt(() => echo({ body: 'abc', headers: { 'Content-Length': '3', 'Connection': 'close' } }));
for (const headers of [{ 'Content-Length': '4' }, { 'Transfer-Encoding': 'chunked' }])
    await attempt(() => echo({ body: 'abc', headers }));
await attempt(() => echo({ duplex: 'half', body: new ReadableStream({ n: 0, pull(controller) {
    if (++this.n > 3)
        controller.close();
    else
        controller.enqueue(new TextEncoder().encode(`${this.n}`));
} }) }));
await attempt(() => echo({ duplex: 'half', headers: { 'content-length': '4' },
    body: new Response('four').body }));
await attempt(() => echo({ duplex: 'half', body: new ReadableStream({
    pull(controller) { controller.error(new RangeError('mine')); } }) }));
await attempt(async () => (await fetch(new Request(at('/echo'), { method: 'PATCH', body: 'moved' }))).text());

await attempt(async () => {
    let size = 0, count = 0;
    for await (const chunk of (await fetch(at('/large'))).body) {
        size += chunk.length;
        count++;
    }
    return [size, count > 1];
});
await attempt(async () => (await (await fetch(at('/large'))).arrayBuffer()).byteLength);
await attempt(async () => [(await fetch(at('/empty'))).body, (await fetch(at('/a'), { method: 'HEAD' })).status]);

// Aborts, at each point.
await attempt(() => fetch(at('/a'), { signal: AbortSignal.abort(new RangeError('before')) }));
await attempt(() => {
    const controller = new AbortController();
    const asked = fetch(at('/never'), { signal: controller.signal });
    controller.abort();
    return asked;
});
await attempt(() => fetch(at('/never'), { signal: AbortSignal.timeout(50) }));
await attempt(async () => {
    const controller = new AbortController();
    const response = await fetch(at('/endless'), { signal: controller.signal });
    const text = response.text();
    controller.abort(new RangeError('in the body'));
    return text;
});
await attempt(async () => {
    const response = await fetch(at('/endless'));
    const reader = response.body.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return value.length > 0;
});
await attempt(async () => (await fetch(at('/breaks'))).text());

// Without a network, and without a server.
await attempt(async () => (await fetch('data:text/plain;base64,aGk=')).text());
await attempt(async () => (await fetch('data:,a%20b')).headers.get('content-type'));
const blobUrl = URL.createObjectURL(new Blob(['blob'], { type: 'a/b' }));
await attempt(async () => (await fetch(blobUrl)).text());
for (const url of ['http://127.0.0.1:1/', 'ftp://x/', '/x', 'http://u:p@x/'])
    await attempt(() => fetch(url));
await attempt(() => fetch());

// Many at once.
const all = await Promise.all(Array.from({ length: 200 }, (_, i) =>
    fetch(at(`/${i}`)).then((response) => response.text())));
console.log(all.every((text, i) => text === `GET /${i}`));
const { forced } = await server.drain({ deadline: 30_000 });
console.log(forced, left >= 2);
