// Request: constructor, properties, bodies, clones.
const attempt = async (fn) => {
    try {
        return await fn();
    } catch (error) {
        return `${error.name}: ${error.message}`;
    }
};
const show = (...values) => console.log(...values);

show(new Request('http://a/b c?d=é#f'));
const request = new Request('https://x/', { method: 'post', body: 'text', headers: { X: 'y' },
    mode: 'same-origin', credentials: 'omit', cache: 'no-store', redirect: 'manual',
    referrer: '', referrerPolicy: 'origin', integrity: 'sha', keepalive: true });
show(request.method, request.url, [...request.headers], request.mode, request.credentials,
    request.cache, request.redirect, request.referrer, request.referrerPolicy, request.integrity,
    request.keepalive, request.duplex, request.destination);
show(request.bodyUsed, await request.text(), request.bodyUsed);
for (const method of ['get', 'Patch', 'patch', 'delete', 'chicken', 'OPTIONS'])
    show(new Request('http://a/', { method }).method);

// From another one.
const first = new Request('http://a/', { method: 'PUT', body: 'moved', headers: { a: '1' } });
const second = new Request(first, { headers: { b: '2' } });
show(first.bodyUsed, second.method, [...second.headers], await second.text());
show(await attempt(() => new Request(first)));
const third = new Request(new Request('http://a/', { headers: { c: '3' } }));
show(third.headers.get('c'), third.body);

// Bodies.
const body = async (given) => {
    const made = new Request('http://a/', { method: 'POST', body: given });
    return [made.headers.get('content-type'), await made.text()];
};
show(await body('x'), await body(new URLSearchParams({ a: 'b c' })), await body(new Uint8Array([65])));
const streaming = new Request('http://a/', { method: 'POST', duplex: 'half',
    body: new ReadableStream({ start(c) { c.enqueue(new Uint8Array([66])); c.close(); } }) });
show(await streaming.text());

// Clones.
const original = new Request('http://a/', { method: 'POST', body: 'both' });
const copy = original.clone();
show(await original.text(), await copy.text(), copy.method, copy.url);

// Signals.
const controller = new AbortController();
const watched = new Request('http://a/', { signal: controller.signal });
show(watched.signal === controller.signal, watched.signal.aborted);
controller.abort('why');
show(watched.signal.aborted, watched.signal.reason);

for (const fn of [
    () => new Request(), () => new Request('/x'), () => new Request('http://u:p@x/'),
    () => new Request('http://x/', { method: 'a b' }), () => new Request('http://x/', { method: 'TRACE' }),
    () => new Request('http://x/', { body: 'a' }), () => new Request('http://x/', { mode: 'navigate' }),
    () => new Request('http://x/', { signal: 5 }), () => Request.prototype.method,
    () => new Request('http://x/', { method: 'POST', body: new ReadableStream() }),
    () => new Request('http://x/', { headers: [['a']] }),
])
    show(await attempt(fn));
class Mine extends Request {
    extra() { return this.url; }
}
show(new Mine('http://m/').extra(), new Mine('http://m/') instanceof Request);
