// weir only
// serve(): what fetch gets, what it may return, and what clients receive.
import { serve } from 'weir:http';
import { Readable } from 'node:stream';

const reported = [];
let cancelled = 0;
const server = await serve({ port: 0, hostname: '127.0.0.1',
    error(error) { reported.push(`${error.name}: ${error.message}`); },
    async fetch(request, context) {
        const url = new URL(request.url);
        switch (url.pathname) {
        case '/about':
            return Response.json([this.port, request.method, url.pathname + url.search,
                request.headers.get('x-a'), request.body === null, request.redirect,
                context.signal === request.signal, context.signal.aborted,
                context.draining.aborted, context.remoteAddress,
                typeof context.remotePort, String(request), String(context)]);
        case '/text': return new Response('héllo € \ud800', { headers: { 'X-B': 'é' } });
        case '/bytes': return new Response(new Uint8Array([1, 2, 3]));
        case '/null': return new Response(null, { status: 204 });
        case '/stream': return new Response(new ReadableStream({
            pull(controller) {
                controller.enqueue(new TextEncoder().encode(`${this.left} `));
                if (this.left-- === 0)
                    controller.close();
            }, left: 3 }));
        case '/endless': return new Response(new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(1000)),
            cancel() { cancelled++; } }));
        case '/iterable': return new Response((async function* () {
            yield 'a';
            yield new Uint8Array([98]);
        })());
        case '/node': return new Response(Readable.from(['x', 'y']));
        case '/blob': return new Response(new Blob(['blob'], { type: 'a/b' }));
        case '/echo': return new Response(await request.text());
        case '/pipe': return new Response(request.body);
        case '/json': return Response.json((await request.json()).deep);
        case '/form': {
            const form = await request.formData();
            return new Response(`${form.get('a')} ${form.get('f').name} ${await form.get('f').text()}`);
        }
        case '/cookies': return new Response('', { headers: [['set-cookie', 'a=1'], ['set-cookie', 'b=2']] });
        case '/own': return new Response('own', { headers: { connection: 'upgrade',
            'content-length': '99', 'transfer-encoding': 'x', 'content-type': 'a/b' } });
        case '/throw': throw new RangeError('thrown');
        case '/number': return 5;
        case '/undefined': return undefined;
        case '/used': {
            const response = new Response('used');
            await response.text();
            return response;
        }
        case '/locked': {
            const response = new Response(new ReadableStream());
            response.body.getReader();
            return response;
        }
        case '/neterror': return Response.error();
        case '/immutable': request.headers.set('a', 'b'); break;
        case '/breaks': return new Response(new ReadableStream({
            pull(controller) { controller.error(new Error('breaks')); } }));
        }
        return new Response('nothing', { status: 404 });
    } });
const ask = async (path, init) => {
    const response = await fetch(new URL(path, server.url), init);
    return [response.status, await response.text(), response];
};
const show = async (path, init) => console.log(path, ...(await ask(path, init)).slice(0, 2));

const [, about] = await ask('/about?q=%20', { headers: { 'X-A': 'b' } });
console.log(JSON.parse(about).slice(1));
for (const path of ['/text', '/bytes', '/null', '/stream', '/iterable', '/node', '/blob', '/none'])
    await show(path);
await show('/none', { headers: { Host: '1.2.3.999' } }); // not a URL's
console.log((await ask('/text'))[2].headers.get('x-b'), (await ask('/text'))[2].headers.get('content-length'));
console.log((await ask('/blob'))[2].headers.get('content-type'));
console.log((await ask('/cookies'))[2].headers.getSetCookie());
const [, , own] = await ask('/own');
console.log(own.headers.get('content-length'), own.headers.get('content-type'));
await show('/echo', { method: 'POST', body: 'x'.repeat(10) + 'é' });
const large = 'y'.repeat(1e6);
for (const path of ['/echo', '/pipe'])
    console.log(path, (await ask(path, { method: 'POST', body: large }))[1] === large);
await show('/json', { method: 'POST', body: '{"deep":[1,{"a":null}]}' });
await show('/json', { method: 'POST', body: '{' });
const form = new FormData();
form.set('a', 'é');
form.set('f', new File(['file'], 'name.txt'));
await show('/form', { method: 'POST', body: form });
for (const path of ['/throw', '/number', '/undefined', '/used', '/locked', '/neterror', '/immutable'])
    await show(path);
console.log((await fetch(new URL('/text', server.url), { method: 'HEAD' })).headers.get('content-length'));
console.log((await fetch(new URL('/endless', server.url), { method: 'HEAD' })).status, cancelled);
await ask('/breaks').catch((error) => console.log(error.message));
console.log(reported);
const { forced, requests, cut } = await server.drain();
console.log(forced, requests, cut, server.draining.aborted);
console.log(await ask('/text').catch((error) => error.cause.code));
