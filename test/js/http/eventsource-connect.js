// weir only: Node 20 has no EventSource
// Connections of an EventSource: announced, made again, refused, closed (HTML
// Standard, 9.2.2 "The EventSource interface" and 9.2.3 "Processing model").
'use strict';

const { createServer } = require('http');
const { once } = require('events');

const requests = [];
let answer; // of the current part of the test
const server = createServer((request, response) => {
    const { accept, authorization, 'cache-control': cache, 'last-event-id': id } = request.headers;
    requests.push({ url: request.url, accept, cache,
        id: id && Buffer.from(id, 'latin1').toString(), authorization });
    answer(request, response, requests.length);
});
const stream = (response, text, headers = {}) => response.writeHead(200,
    { 'Content-Type': 'text/event-stream', ...headers }).end(text);
const home = (user = '') => `http://${user}127.0.0.1:${server.address().port}`;
const hide = (text) => text.replaceAll(String(server.address().port), 'PORT');

// Print the events until the source is closed.
async function watch(source, onEvent = () => {}) {
    const { promise, resolve } = Promise.withResolvers();
    for (const type of ['open', 'message', 'error'])
        source[`on${type}`] = (event) => {
            console.log(' ', type, source.readyState, event.constructor.name, event.isTrusted,
                event.bubbles, event.cancelable, event.data, event.lastEventId,
                event.origin?.replace(/\d+$/, 'PORT'));
            onEvent(event);
            if (source.readyState === EventSource.CLOSED)
                resolve();
        };
    await promise;
    for (const one of requests.splice(0))
        if (one.url !== '/never') // it may have been sent or not
            console.log('  request', JSON.stringify(one));
}

async function main() {
    console.log('the stream ends, and is opened again until the answer is 204');
    answer = (request, response, count) => count === 4 ? response.writeHead(204).end()
        : stream(response, `retry:1\nid: é${count}\ndata: ${count}\n\nid: lost\ndata: lost`);
    await watch(new EventSource(`${home()}/again`));

    console.log('a connection that breaks is made again, with the last id');
    answer = (request, response, count) => {
        if (count === 2)
            return request.socket.destroy();
        if (count === 3)
            return response.writeHead(500).end();
        response.writeHead(200, { 'Content-Type': 'Text/Event-Stream;charset=x' });
        response.write('retry: 1\nretry: 2x\nid: 7\ndata: x\n\n', () => request.socket.destroy());
    };
    await watch(new EventSource(`${home()}/breaks`));

    console.log('redirects: the origin is that of the last URL');
    const other = createServer((request, response) => stream(response, 'data: here\n\n'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    answer = (request, response, count) => response.writeHead(count === 1 ? 307 : 302,
        { Location: count === 1 ? '/next' : `http://127.0.0.1:${other.address().port}/` }).end();
    const redirected = new EventSource(`${home()}/first`);
    await watch(redirected, (event) => {
        if (event.type === 'message') {
            console.log('  other origin', event.origin ===
                `http://127.0.0.1:${other.address().port}`, hide(redirected.url));
            redirected.close();
        }
    });
    other.close();

    console.log('what is no event stream');
    for (const [status, type] of [[404, 'text/event-stream'], [200, 'text/plain'], [200, undefined],
        [200, 'text/event-stream2'], [201, 'text/event-stream']]) {
        answer = (request, response) => response.writeHead(status,
            type === undefined ? {} : { 'Content-Type': type }).end('data: x\n\n');
        await watch(new EventSource(`${home()}/${status}`));
    }
    await watch(new EventSource('ftp://127.0.0.1/'));

    console.log('nobody listens at the address');
    const closed = createServer();
    await once(closed.listen(0, '127.0.0.1'), 'listening');
    const { port } = closed.address();
    await new Promise((resolve) => { closed.close(resolve); });
    const refused = new EventSource(`http://127.0.0.1:${port}/`);
    await watch(refused, () => {
        console.log('  it will be tried again', refused.readyState === EventSource.CONNECTING);
        refused.close();
    });

    console.log('credentials');
    answer = (request, response) => response.writeHead(204).end();
    const known = new EventSource(`${home('us%65r%20:p%3A@')}/x#y`, { withCredentials: true });
    console.log('  ', hide(known.url), known.withCredentials, known.readyState);
    await watch(known);

    console.log('closed: at once, in open, and in a message');
    answer = (request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('data: 1\n\ndata: 2\n\n'); // and it stays open
    };
    const never = new EventSource(`${home()}/never`);
    never.onopen = never.onerror = never.onmessage = () => console.log('  never');
    never.close();
    console.log('  ', never.readyState);
    await watch(new EventSource(`${home()}/open`), ({ target }) => target.close());
    await watch(new EventSource(`${home()}/message`), ({ type, target }) =>
        type === 'message' && target.close());

    console.log('listeners that throw');
    process.once('uncaughtException', (error) => console.log('  caught', error.message));
    let count = 0;
    await watch(new EventSource(`${home()}/throw`), ({ type, target }) => {
        if (type === 'message' && ++count === 1)
            throw new Error('of a listener');
        if (count === 2)
            target.close();
    });
    server.closeAllConnections();
    server.close();
}

console.log(EventSource.length, Object.keys(EventSource), Object.keys(EventSource.prototype),
    String(EventSource.prototype));
for (const make of [() => new EventSource(), () => EventSource('http://h'),
    () => new EventSource('/relative'), () => new EventSource('http://h', 5),
    () => new EventSource(Symbol()), () => EventSource.prototype.url])
    try {
        make();
    } catch (error) {
        console.log(error.name, error instanceof DOMException);
    }
server.listen(0, '127.0.0.1', main);
