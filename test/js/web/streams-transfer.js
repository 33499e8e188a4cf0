// Streams that are transferred: by structuredClone, and to a worker and back.
'use strict';
const { Worker } = require('worker_threads');
const { log } = console;

function tries(name, fn) {
    try {
        log(name, fn());
    } catch (error) {
        log(name, error.name, error.code, error.message);
    }
}
const moved = (object) => structuredClone(object, { transfer: [object] });
const failure = (promise) => promise.catch((error) => log('error', error.name, error.message));
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

async function clones() {
    const stream = new ReadableStream({
        start(controller) {
            controller.enqueue('a');
            controller.enqueue({ b: 1 });
            controller.close();
        },
    });
    tries('not listed', () => structuredClone(stream));
    const copy = moved(stream);
    log(stream, copy);
    for await (const chunk of copy)
        log(chunk);
    const written = [], sink = new WritableStream({
        write(chunk) { written.push(chunk); },
        close() { log('closed', written); },
    });
    const writer = moved(sink).getWriter();
    await writer.write(1);
    await writer.write({ x: 2 });
    await writer.close();
    await soon();
    const doubled = moved(new TransformStream({
        transform(chunk, controller) { controller.enqueue(chunk * 2); } }));
    log(doubled);
    const input = doubled.writable.getWriter();
    input.write(21);
    input.close();
    for await (const chunk of doubled.readable)
        log(chunk);
}

async function failures() {
    const locked = new ReadableStream(), sink = new WritableStream();
    locked.getReader();
    sink.getWriter();
    tries('locked', () => moved(locked));
    tries('locked', () => moved(sink));
    await failure(moved(new ReadableStream({
        start(controller) { controller.error(new Error('boom')); } })).getReader().read());
    await failure(moved(new ReadableStream({
        start(controller) { controller.enqueue(() => {}); } })).getReader().read());
    let why;
    await moved(new ReadableStream({ cancel(reason) { why = reason; } })).cancel('enough');
    await soon();
    log(why);
    globalThis.idle = moved(new ReadableStream()); // does not keep the program alive
}

function worker() {
    const thread = new Worker(`
        const { parentPort } = require('worker_threads');
        parentPort.once('message', async (stream) => {
            const upper = stream.pipeThrough(new TransformStream({
                transform(chunk, controller) { controller.enqueue(chunk.toUpperCase()); } }));
            parentPort.postMessage(upper, [upper]);
            parentPort.once('message', () => {}); // live until told
        });`, { eval: true });
    const stream = ReadableStream.from(['x', 'y', 'z']);
    thread.postMessage(stream, [stream]);
    thread.once('message', async (upper) => {
        for await (const chunk of upper)
            log(chunk);
        thread.postMessage('end');
    });
}

(async () => {
    await clones();
    await failures();
    worker();
})();
