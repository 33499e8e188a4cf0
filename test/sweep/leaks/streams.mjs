// SPDX-License-Identifier: MIT
// streams -- streams that are destroyed half-way: Node's and the web's, of files and
// of sockets.  See account.mjs.
import fs from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Duplex, PassThrough, Readable, Writable, pipeline } from 'node:stream';
import { measure, random } from './account.mjs';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-streams-'));
process.on('exit', () => fs.rmSync(scratch, { recursive: true }));
const source = path.join(scratch, 'source');
fs.writeFileSync(source, Buffer.alloc(300_000, 'abc'));
const chunk = Buffer.alloc(20_000, 'x');

const closed = (stream) => new Promise((resolve) => stream.once('close', resolve));
const ignore = () => {};

// Destroy a stream at a random moment; resolves when it has closed.
function destroy(stream) {
    const end = () => stream.destroy(random.below(3) === 0 ? new Error('given up') : undefined);
    stream.on('error', ignore);
    switch (random.below(5)) {
    case 0: end(); break;
    case 1: process.nextTick(end); break;
    case 2: setImmediate(end); break;
    case 3: setTimeout(end, random.below(4)); break;
    default:
        if (stream.readable)
            stream.once('data', end);
        else
            stream.write(chunk, end);
    }
    return closed(stream);
}

// ---- files ----

function readFile() {
    const stream = fs.createReadStream(source, { highWaterMark: 1 << random.below(16) });
    if (random.below(2))
        stream.resume();
    return destroy(stream);
}

let number = 0;
async function writeFile() {
    const to = path.join(scratch, `to-${number++}`);
    const stream = fs.createWriteStream(to);
    for (let i = random.below(4); i > 0; i--)
        stream.write(chunk);
    await destroy(stream);
    fs.rmSync(to, { force: true });
}

async function copyFile() {
    const to = path.join(scratch, `to-${number++}`);
    const ends = [fs.createReadStream(source), new PassThrough(), fs.createWriteStream(to)];
    const done = new Promise((resolve) => pipeline(...ends, resolve));
    const some = ends[random.below(ends.length)];
    setTimeout(() => some.destroy(), random.below(3));
    await done;
    await Promise.all(ends.map((one) => one.closed || closed(one)));
    fs.rmSync(to, { force: true });
}

// ---- sockets ----

const openServer = () => new Promise((resolve) => {
    const server = net.createServer((socket) => {
        socket.on('error', ignore);
        if (random.below(3) === 0)
            destroy(socket);
        else
            socket.pipe(socket);
    }).listen(0, '127.0.0.1', () => resolve(server));
});

const closeServer = (server) => new Promise((resolve) => server.close(resolve));

function connect(server) {
    const socket = net.connect(server.address().port, '127.0.0.1');
    for (let i = random.below(4); i >= 0; i--)
        socket.write(chunk);
    return destroy(socket);
}

// ---- the web's ----

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function readSome(stream, most = 3) {
    const reader = stream.getReader();
    for (let i = random.below(most + 1); i > 0; i--)
        if ((await reader.read()).done)
            break;
    switch (random.below(3)) {
    case 0: await reader.cancel(); break;
    case 1: await reader.cancel(new Error('given up')); break;
    default:
        reader.releaseLock();
        await stream.cancel();
    }
}

const failed = async (promise) => { await promise.catch(ignore); };

async function webFile() {
    const node = fs.createReadStream(source);
    const end = closed(node);
    node.on('error', ignore);
    await failed(readSome(Readable.toWeb(node)));
    await end;
}

async function webHandle() {
    const handle = await openFile(source);
    try {
        await failed(readSome(handle.readableWebStream()));
    } finally {
        await handle.close();
    }
}

async function webSocket(server) {
    const socket = net.connect(server.address().port, '127.0.0.1');
    const end = closed(socket);
    socket.on('error', ignore);
    const { readable, writable } = Duplex.toWeb(socket);
    const writer = writable.getWriter();
    writer.closed.catch(ignore);
    writer.write(chunk).catch(ignore);
    await failed(readSome(readable, 1)); // more might not come
    await failed(writer.abort());
    socket.destroy();
    await end;
}

async function webPipe() {
    const controller = new AbortController();
    const from = new ReadableStream({ async pull(to) {
        await sleep(random.below(2));
        to.enqueue(chunk);
    } });
    const to = new WritableStream({ write: () => sleep(random.below(2)) });
    setTimeout(() => controller.abort(), random.below(6));
    await failed(from.pipeThrough(new TransformStream()).pipeTo(to, { signal: controller.signal }));
}

async function webTee() {
    const [one, other] = new ReadableStream({ type: 'bytes', pull(to) {
        to.enqueue(new Uint8Array(1000));
    } }).tee();
    await Promise.all([failed(readSome(one)), failed(readSome(other))]);
}

async function fromWeb() {
    const node = Readable.fromWeb(new ReadableStream({ async pull(to) {
        await sleep(random.below(2));
        to.enqueue(chunk);
    } }));
    await destroy(node);
    const sink = Writable.fromWeb(new WritableStream({ write: () => sleep(random.below(2)) }));
    await destroy(sink);
}

const nothing = () => {};
await measure({
    readFile: [nothing, readFile], writeFile: [nothing, writeFile],
    copyFile: [nothing, copyFile], socket: [openServer, connect, closeServer],
    webFile: [nothing, webFile], webHandle: [nothing, webHandle],
    webSocket: [openServer, webSocket, closeServer], webPipe: [nothing, webPipe],
    webTee: [nothing, webTee], fromWeb: [nothing, fromWeb],
}, 10);
