// Workers that end with open servers, requests and responses, and hostile values.
'use strict';
const { Worker, isMainThread, parentPort } = require('worker_threads');
const http = require('http');

const code = `
const http = require('http');
const { parentPort } = require('worker_threads');
const server = http.createServer((req, res) => {
    if (req.url === '/open') {
        res.write('begun');
        parentPort.postMessage('open');
    } else if (req.url === '/loop') {
        parentPort.postMessage('loop');
        for (;;) ;
    } else if (req.url === '/exit') {
        res.write('x');
        process.exit(3);
    } else {
        req.on('data', () => parentPort.postMessage('body'));
    }
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

function ask(port, path, body) {
    return new Promise((resolve) => {
        const req = http.request({ port, host: '127.0.0.1', path, method: 'POST', agent: false },
            (res) => {
                res.on('error', () => {});
                res.on('close', () => resolve('cut'));
                res.resume();
            });
        req.on('error', () => resolve('cut'));
        req.write(body);
        if (path !== '/body')
            req.end();
    });
}

async function run(path, word) {
    const worker = new Worker(code, { eval: true });
    const port = await new Promise((resolve) => worker.once('message', resolve));
    const said = new Promise((resolve) => worker.once('message', resolve));
    const asked = ask(port, path, 'some');
    if (word) {
        console.log(await said);
        await worker.terminate();
    } else {
        console.log('exit', await new Promise((resolve) => worker.once('exit', resolve)));
    }
    console.log(path, await asked);
}

const attempt = (fn) => {
    try {
        fn();
        console.log('no error');
    } catch (error) {
        console.log(error.name, error.code);
    }
};

(async () => {
    await run('/open', true);
    await run('/loop', true);
    await run('/body', true);
    await run('/exit', false);
    const { ServerResponse, OutgoingMessage } = http;
    attempt(() => new ServerResponse());
    attempt(() => OutgoingMessage.prototype.setHeader.call(null));
    attempt(() => new OutgoingMessage().setHeader({ toString() { throw new RangeError('x'); } }, 1));
    const server = http.createServer((req, res) => {
        req.headers = null;
        req.url = {};
        res.statusCode = 'abc';
        attempt(() => res.end('x'));
        res.statusCode = 200;
        res.setHeader('x-y', { toString: () => 'text' });
        Object.defineProperty(res, '_header', { value: null, writable: true });
        res.end('answer');
        res.destroy();
        res.destroy();
        attempt(() => req.socket.destroy().end());
    });
    server.listen(0, '127.0.0.1', () => {
        const req = http.get({ port: server.address().port, host: '127.0.0.1', agent: false });
        req.on('error', () => {});
        req.on('close', () => server.close(() => console.log('closed')));
        req.on('response', (res) => res.resume().on('error', () => {}));
    });
})();
