// weir only: Node 20 has no EventSource
// How an event stream is read.  The expected events follow from the HTML Standard,
// 9.2.6 "Interpreting an event stream"; Chromium 156 prints the same.
'use strict';

const http = require('http');

// A stream, and what it contains: [type, data, lastEventId] each.
const streams = [
    ['data: one\n\n', ['message', 'one', '']],
    ['data:a\ndata: b\ndata:  c\n\n', ['message', 'a\nb\n c', '']],
    // line ends
    ['data:1\r\n\r\ndata:2\r\rdata:3\n\ndata:4\r\n\n', ['message', '1', ''], ['message', '2', ''],
        ['message', '3', ''], ['message', '4', '']],
    // one byte order mark is ignored, another is part of a name
    ['\ufeffdata:1\n\n\ufeffdata:2\n\ndata:3\n\n', ['message', '1', ''], ['message', '3', '']],
    // comments, unknown fields, fields without a colon
    [':comment\n:\ndata\nx\nx:y\n Data: 2\n\n', ['message', '', '']],
    ['data:\n\ndata\ndata\n\n', ['message', '', ''], ['message', '\n', '']],
    ['\n\n\nevent: nothing\n\n:\n\ndata: x\n\n', ['message', 'x', '']],
    // types
    ['event: one\ndata: 1\n\ndata: 2\n\nevent:two \nevent:three\ndata:3\n\nevent:one\nevent\ndata:4\n\n',
        ['one', '1', ''], ['message', '2', ''], ['three', '3', ''], ['message', '4', '']],
    ['event:open\ndata:1\n\nevent:error\ndata:2\n\n', ['open', '1', ''], ['error', '2', '']],
    // ids stay until the next one, also of an event without data; NUL makes one invalid
    ['id: 1\ndata: a\n\ndata: b\n\nid\ndata:c\n\nid:2\n\ndata:d\n\nid:x\0y\ndata:e\n\nid:é 😀\ndata:f\n\n',
        ['message', 'a', '1'], ['message', 'b', '1'], ['message', 'c', ''], ['message', 'd', '2'],
        ['message', 'e', '2'], ['message', 'f', 'é 😀']],
    // text that is no UTF-8, and long lines
    [Buffer.from('data:\xff\xc3\xa9\xe2\x82\n\n', 'latin1'), ['message', '\ufffdé\ufffd', '']],
    [`data:${'x'.repeat(100000)}\n\n`, ['message', 'x'.repeat(100000), '']],
    // what is not complete at the end is dropped
    ['data: 1\n\ndata: 2\n', ['message', '1', '']],
    ['data: 1\n\ndata: 2', ['message', '1', '']],
];

const types = ['message', 'one', 'three', 'nothing'];

const server = http.createServer((request, response) => {
    const [, number, size] = /^\/(\d+)\/(\d+)$/.exec(request.url);
    const bytes = Buffer.from(streams[number][0]);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    // Each piece is a chunk of its own, sent when the last one is on its way.
    const send = (at) => at >= bytes.length ? response.end()
        : response.write(bytes.subarray(at, at + +size), () => setImmediate(send, at + +size));
    send(0);
});

function read(number, size) {
    const { promise, resolve } = Promise.withResolvers();
    const source = new EventSource(
        `http://127.0.0.1:${server.address().port}/${number}/${size}`);
    const got = [];
    const take = (event) => got.push([event.type, event.data, event.lastEventId]);
    for (const type of types)
        source.addEventListener(type, take);
    source.onopen = source.onerror = (event) => {
        if (event instanceof MessageEvent) {
            take(event);
        } else if (event.type === 'error') {
            source.close();
            resolve(got);
        }
    };
    return promise;
}

server.listen(0, '127.0.0.1', async () => {
    for (const [number, [stream, ...expected]] of streams.entries())
        for (const size of stream.length > 1000 ? [1e6, 9999] : [1e6, 1, 2, 7]) {
            const got = JSON.stringify(await read(number, size));
            if (got !== JSON.stringify(expected))
                console.log(number, size, got);
        }
    console.log(streams.length, 'streams');
    server.close();
});
