// weir only
// WebSockets of a server and of a client: messages, close codes, the drain.
import { serve, upgradeWebSocket } from 'weir:http';

const ends = [];
const server = await serve({ port: 0, hostname: '127.0.0.1', error: () => new Response('no', { status: 400 }),
    fetch(request, context) {
        const { pathname } = new URL(request.url);
        if (pathname === '/none')
            return new Response('plain');
        const { socket, response } = pathname === '/chat'
            ? upgradeWebSocket(request, { protocol: 'chat' }) : context.upgrade();
        socket.onopen = () => socket.send(`open ${socket.readyState} ${socket.protocol}`);
        socket.binaryType = 'arraybuffer';
        socket.onmessage = ({ data }) => {
            if (data === 'close')
                socket.close(4001, 'bye');
            else
                socket.send(data);
        };
        socket.onclose = ({ code, reason, wasClean }) => ends.push([code, reason, wasClean]);
        return response;
    } });
const url = (path) => new URL(path, server.url.href.replace('http', 'ws')).href;
const once = (target, type) => new Promise((resolve) =>
    target.addEventListener(type, resolve, { once: true }));

const socket = new WebSocket(url('/chat'), ['other', 'chat']);
console.log(socket.readyState, socket.url === url('/chat'), socket.binaryType);
try {
    socket.send('early');
} catch (error) {
    console.log(error.name);
}
await once(socket, 'open');
console.log(socket.readyState, socket.protocol);
const messages = [];
socket.onmessage = ({ data }) => messages.push(data);
const sent = ['text', 'é€😀', '', 'x'.repeat(100_000)];
for (const text of sent)
    socket.send(text);
socket.send(new Uint8Array([1, 2, 3]));
while (messages.length < sent.length + 2)
    await once(socket, 'message');
console.log(messages[0], messages.slice(1, 5).every((text, i) => text === sent[i]));
console.log(messages[5] instanceof Blob, new Uint8Array(await messages[5].arrayBuffer()));
socket.binaryType = 'arraybuffer';
socket.send(new Blob(['blob']));
console.log((await once(socket, 'message')).data);
socket.send('close');
const closed = await once(socket, 'close');
console.log(closed.code, closed.reason, closed.wasClean, socket.readyState);

const second = new WebSocket(url('/'));
await once(second, 'open');
second.close(3000, 'done');
console.log(second.readyState);
console.log((await once(second, 'close')).code);

// Refusals.
for (const path of ['/none']) {
    const refused = new WebSocket(url(path));
    const failed = once(refused, 'error'), ended = once(refused, 'close');
    console.log((await failed).type, (await ended).code, refused.readyState);
}
const nobody = new WebSocket('ws://127.0.0.1:1/');
nobody.onerror = () => console.log('error');
console.log((await once(nobody, 'close')).code);
console.log((await fetch(new URL('/plain', server.url))).status);
for (const fn of [() => new WebSocket(), () => new WebSocket('ftp://x/'), () => new WebSocket('ws://x/#f'),
    () => new WebSocket('ws://x/', ['a', 'a']), () => new WebSocket('ws://x/', 'a b'),
    () => second.close(5), () => second.close(1000, 'x'.repeat(124))])
    try {
        fn();
    } catch (error) {
        console.log(error.name);
    }

// The drain closes with 1012.
const last = new WebSocket(url('/'));
await once(last, 'open');
const drained = server.drain({ deadline: 30_000 });
console.log((await once(last, 'close')).code);
console.log((await drained).forced, ends);
