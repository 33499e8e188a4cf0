// weir only
// The classes and servers of HTTP with hostile arguments, receivers, getters,
// buffers and prototypes: an exception or a result, never a crash.
// long: address thread
import http from 'node:http';
import https from 'node:https';
import { serve, upgradeWebSocket } from 'weir:http';

const throwing = new Proxy({}, { get() { throw new Error('trap'); } });
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const detached = new ArrayBuffer(8), view = new Uint8Array(detached);
detached.transfer();
const growing = new ArrayBuffer(8, { maxByteLength: 64 }), tracking = new Uint8Array(growing);
const values = [undefined, null, true, 0, -1, 1.5, NaN, 2 ** 53, 10n ** 40n, '', 'x', '\ud800', '\0', 'a\r\nb: c',
    'y'.repeat(1e5), Symbol('s'), {}, [], [[]], [['a']], () => {}, throwing, revoked, detached, view, tracking,
    { toString() { throw new Error('toString'); } }, { [Symbol.iterator]() { throw new Error('iterator'); } },
    { get length() { throw new Error('length'); } }, { length: 1e9 }, { get body() { throw new Error('body'); } },
    Object.create(null), Promise.resolve(), /x/, new Map([['a', 'b']]), new Headers({ a: 'b' }), new Blob(['b']),
    new Response('r').body, new ReadableStream({ pull() { throw new Error('pull'); } })];
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
process.removeAllListeners('warning');
process.on('warning', () => {});
let calls = 0, thrown = 0;

function settle(made) {
    made?.on?.('error', () => {});
    if (made instanceof Promise)
        made.then((server) => server?.close?.(), () => {});
}

function attempt(run) {
    calls++;
    try {
        settle(run());
    } catch {
        thrown++;
    }
}

function attack(receiver, fn) {
    for (const a of values)
        for (const args of [[a], ['a', a], [a, () => {}]])
            attempt(() => Reflect.apply(fn, receiver, args));
}

// Methods and accessors of a prototype, with each receiver.
function attackAll(prototype, receivers, skip = /^constructor$/) {
    for (const key of Reflect.ownKeys(prototype)) {
        const { value, get, set } = Object.getOwnPropertyDescriptor(prototype, key);
        if (skip.test(String(key)))
            continue;
        for (const make of receivers) {
            for (const fn of [value, set])
                if (typeof fn === 'function')
                    attack(make(), fn);
            if (get !== undefined)
                attempt(() => Reflect.apply(get, make(), []));
        }
    }
}

const others = [() => undefined, () => revoked, () => new Proxy(new Headers(), {})];
const classes = {
    Headers: () => new Headers([['a', 'b'], ['set-cookie', 'c']]),
    Request: () => new Request('http://x/', { method: 'POST', body: 'b' }),
    Response: () => new Response('b'),
    FormData: () => new FormData(),
    Blob: () => new Blob(['b']),
};
for (const [name, make] of Object.entries(classes)) {
    const Class = globalThis[name];
    for (const a of values)
        for (const args of [[a], [a, a], ['http://x/', a], ['x', { headers: a }], ['x', { status: a }],
            ['http://x/', { method: a }], ['http://x/', { method: 'POST', body: a }], ['http://x/', { signal: a }]])
            attempt(() => new Class(...args));
    attackAll(Class.prototype, [make, ...others]);
    attackAll(Class, [() => Class], /^(prototype|name|length)$/);
}
for (const a of values) {
    attempt(() => fetch(a));
    attempt(() => fetch('http://127.0.0.1:1/', a));
    attempt(() => new WebSocket(a));
    attempt(() => new WebSocket('ws://127.0.0.1:1/', a).close());
    attempt(() => serve(a));
    attempt(() => upgradeWebSocket(a, a));
    for (const key of ['port', 'hostname', 'path', 'fetch', 'tls', 'drain', 'signal', 'error', 'static', 'backlog', 'mode',
        'maxBodySize', 'maxHeaders', 'keepAliveTimeout'])
        if (key !== 'path' || typeof a !== 'string')
            attempt(() => serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(), signals: false, [key]: a }));
    attempt(() => http.createServer(a));
    attempt(() => https.createServer({ key: a, cert: a }));
    attempt(() => http.validateHeaderName(a));
    attempt(() => http.validateHeaderValue('a', a));
    for (const key of ['method', 'path', 'headers', 'host', 'agent', 'timeout', 'protocol', 'createConnection', 'signal'])
        attempt(() => http.request({ port: 1, host: '127.0.0.1', [key]: a }).destroy());
    attempt(() => new http.Agent(a));
}

// ---- a server that returns anything, and whose requests are attacked ----

const turns = [];
const server = await serve({ port: 0, hostname: '127.0.0.1', signals: false, error: () => new Response('caught'),
    fetch: (request, context) => turns[new URL(request.url).searchParams.get('turn')](request, context) });
const { constructor: Server } = Object.getPrototypeOf(server);
attackAll(Object.getPrototypeOf(server), [...others, () => Object.create(Server.prototype)]);

const ask = async (turn, options) => {
    try {
        const response = await fetch(`${server.url}?turn=${turns.push(turn) - 1}`, options);
        await response.text();
        return response.status;
    } catch {
        return 'failed';
    }
};

const statuses = new Set();
for (const a of values) {
    statuses.add(await ask(() => a));
    statuses.add(await ask(async () => a));
    statuses.add(await ask(() => { throw a; }));
    statuses.add(await ask(() => { try { return new Response(a, { headers: a }); } catch { return new Response('no'); } }));
}
await ask((request, context) => {
    attackAll(Object.getPrototypeOf(request), [() => request], /^(constructor|text|json|bytes|arrayBuffer|blob|formData)$/);
    attackAll(Object.getPrototypeOf(context), [() => context, ...others], /^(constructor|upgrade|serveFile)$/);
    attack(context, context.upgrade);
    attack(context, context.serveFile);
    return new Response('still');
});

// The body is detached, shrunk or changed while it is sent; the response is used
// twice, or its headers are changed later.
const shared = new Response('twice');
for (const turn of [
    () => { const bytes = new Uint8Array(1e6); queueMicrotask(() => bytes.buffer.transfer()); return new Response(bytes); },
    () => { const bytes = new Uint8Array(new ArrayBuffer(1e6, { maxByteLength: 1e6 })); const answer = new Response(bytes); bytes.buffer.resize(1); return answer; },
    () => shared, () => shared,
    () => { const answer = new Response('x'); queueMicrotask(() => answer.headers.set('a', 'b')); return answer; },
    () => { const answer = new Response('x'); answer.body.getReader(); return answer; },
    () => new Response(new ReadableStream({ start(controller) { controller.enqueue(detached); } })),
    () => new Response(new ReadableStream({ start(controller) { controller.enqueue(view); controller.close(); } })),
    () => new Response((async function* () { yield tracking; growing.resize(0); yield tracking; yield view; })()),
    () => new Response((async function* () { yield {}; })()),
    () => ({ __proto__: Response.prototype }),
    () => Object.create(shared),
    () => new Proxy(new Response('p'), {}),
    (request) => { request.body.cancel(); return new Response('x'); },
    async (request) => { const reader = request.body.getReader(); await reader.read(); return new Response('x'); },
    (request) => new Response(request.clone().body),
])
    statuses.add(await ask(turn, { method: 'POST', body: 'y'.repeat(1e5), signal: AbortSignal.timeout(2000) }));

// Changed prototypes: the library has its own.
const saved = [Array.prototype[Symbol.iterator], Promise.prototype.then, Uint8Array.prototype.subarray, Map.prototype.get];
Array.prototype[Symbol.iterator] = Promise.prototype.then = Uint8Array.prototype.subarray = Map.prototype.get =
    () => { throw new Error('changed'); };
Object.prototype.get = Object.prototype.status = Object.prototype.headers = Object.prototype.body = 'changed';
const changed = [];
const plain = [() => new Response('text'), () => Response.json({}), async (request) => new Response(await request.text()),
    () => new Response(new Blob(['b'])), () => new Response((async function* () { yield 'part'; })())];
for (let i = 0; i < plain.length; i++)
    changed[i] = await ask(plain[i], { method: 'POST', body: 'b' });
[Array.prototype[Symbol.iterator], Promise.prototype.then, Uint8Array.prototype.subarray, Map.prototype.get] =
    { __proto__: null, [Symbol.iterator]: () => Reflect.apply(saved[0], saved, []) };
for (const key of ['get', 'status', 'headers', 'body'])
    delete Object.prototype[key];
console.log(changed.join());

// ---- node:http ----

const { promise, resolve } = Promise.withResolvers();
const old = http.createServer((request, response) => {
    attackAll(http.IncomingMessage.prototype, [() => request, ...others], /^(constructor|destroy|_.*|pipe)$/);
    attackAll(http.ServerResponse.prototype, [() => response, ...others], /^(constructor|destroy|end|_.*)$/);
    attackAll(http.OutgoingMessage.prototype, [() => response, ...others], /^(constructor|destroy|end|_.*)$/);
    attempt(() => response.end(throwing));
    request.destroy();
    resolve();
});
old.listen(0, '127.0.0.1', () => {
    const request = http.request({ port: old.address().port, host: '127.0.0.1', method: 'POST' });
    request.on('error', () => {});
    attackAll(http.ClientRequest.prototype, [() => request, ...others],
        /^(constructor|destroy|abort|end|_.*|setTimeout|onSocket)$/);
    attempt(() => request.end('x'));
    request.destroy();
    http.request({ port: old.address().port, host: '127.0.0.1' }).on('error', () => {}).end();
});
await promise;
attackAll(http.Server.prototype, [() => http.createServer(), ...others], /^(constructor|listen|_.*)$/);
attackAll(http.Agent.prototype, [() => new http.Agent(), ...others], /^(constructor|createConnection|createSocket|_.*)$/);
console.log([...statuses].filter((status) => ![200, 500, 'failed'].includes(status)), calls > 20_000, thrown > 5000);
console.log(await ask(() => new Response('alive')));
process.exit(0);
