// weir only
// Only weir has drain(): what is being answered is completed, and the report
// says so, as that of serve() does.
import http from 'node:http';
import { once } from 'node:events';

let answer;
const server = http.createServer((request, response) => {
    answer = () => response.end('late');
    server.emit('asked');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const asked = once(server, 'asked');
const received = new Promise((resolve) =>
    http.get({ port: server.address().port }, async (response) => {
        let text = '';
        for await (const chunk of response)
            text += chunk;
        resolve([response.statusCode, response.headers.connection, text]);
    }));
await asked;
const drained = server.drain({ deadline: 30_000 });
answer();
console.log(...await received);
const { forced, connections, requests, responses, refused, cut } = await drained;
console.log(forced, connections, requests, responses, refused, cut);

// A request without an answer gets 503 at the deadline.
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const again = once(server, 'asked');
const refusal = new Promise((resolve) =>
    http.get({ port: server.address().port }, (response) => {
        response.resume();
        resolve(response.statusCode);
    }));
await again;
const late = await server.drain({ deadline: 1 });
console.log(late.forced, late.requests, late.responses, late.cut, await refusal);
