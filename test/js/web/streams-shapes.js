// The classes of streams: their members, what they refuse, and how they are shown.
'use strict';
const { inspect } = require('util');
const { log } = console;

const show = (promise, name) => promise.then((value) => log(name, 'ok', value),
    (error) => log(name, 'fail', error?.name, error?.code, error?.message));

function tries(name, fn) {
    try {
        log(name, fn());
    } catch (error) {
        log(name, error.name, error.code, error.message);
    }
}

async function readers() {
    const stream = new ReadableStream({
        start(controller) {
            controller.enqueue('a');
            controller.enqueue('b');
            controller.close();
        },
    });
    log(stream);
    const reader = stream.getReader();
    log(reader, stream);
    for (let i = 0; i < 3; i++)
        await show(reader.read(), 'read');
    await show(reader.closed, 'closed');
    log(reader, stream);
    tries('locked', () => stream.getReader());
    tries('locked', () => stream.tee());
    tries('locked', () => stream.values());
    await show(stream.cancel(), 'locked');
    reader.releaseLock();
    await show(reader.read(), 'released');
    await show(reader.closed, 'released');
    await show(reader.cancel(), 'released');
    const waiting = new ReadableStream().getReader(), read = waiting.read();
    log(waiting);
    waiting.releaseLock();
    await show(read, 'waiting');
}

function refused() {
    for (const args of [[null], [1], ['x'], [{ type: 'x' }], [{ type: 'bytes' }, { size() {} }],
        [{}, { highWaterMark: -1 }], [{}, { highWaterMark: 'x' }], [{}, { size: 1 }],
        [{ pull: 1 }], [{ cancel: 1 }], [{ type: 'bytes', autoAllocateChunkSize: 0 }],
        [{}, null], [{}, 1]])
        tries(`ReadableStream ${inspect(args)}`, () => new ReadableStream(...args));
    for (const args of [[null], [1], [{ type: 'bytes' }], [{ write: 1 }], [{ close: 1 }],
        [{ abort: 1 }], [{}, { highWaterMark: NaN }], [{}, { size: 1 }], [{}, 1], [{}, null]])
        tries(`WritableStream ${inspect(args)}`, () => new WritableStream(...args));
    for (const args of [[null], [1], [{ readableType: 1 }], [{ writableType: 1 }],
        [{ transform: 1 }], [{ flush: 1 }], [{ cancel: 1 }], [{}, 1], [{}, {}, 1]])
        tries(`TransformStream ${inspect(args)}`, () => new TransformStream(...args));
    tries('mode', () => new ReadableStream().getReader({ mode: 'x' }));
    tries('mode', () => new ReadableStream().getReader({ mode: 'byob' }));
    tries('options', () => new ReadableStream().getReader(1));
    tries('reader', () => new ReadableStreamDefaultReader(1));
    tries('reader', () => new ReadableStreamBYOBReader(1));
    for (const ctor of [ReadableStreamDefaultController, ReadableByteStreamController,
        ReadableStreamBYOBRequest, WritableStreamDefaultController,
        TransformStreamDefaultController])
        tries(ctor.name, () => new ctor());
    for (const value of [1, {}, Symbol('x'), { [Symbol.iterator]() { return 1; } }])
        tries('from', () => ReadableStream.from(value));
    for (const value of [1, {}, { readable: new ReadableStream() }])
        tries('pipeThrough', () => new ReadableStream().pipeThrough(value));
}

async function controllers() {
    let own;
    const stream = new ReadableStream({ start(controller) { own = controller; } });
    log(own, own.desiredSize);
    own.close();
    tries('enqueue', () => own.enqueue(1));
    tries('close', () => own.close());
    own.error(1);
    log(stream, own.desiredSize);
    const bytes = new ReadableStream({ type: 'bytes', start(controller) { own = controller; } });
    log(own, own.desiredSize, bytes, own.byobRequest);
    for (const value of [undefined, 'x', new Uint8Array(0)])
        tries('enqueue', () => own.enqueue(value));
    const reader = bytes.getReader({ mode: 'byob' });
    log(reader);
    await show(reader.read(), 'no view');
    await show(reader.read(new Uint8Array(0)), 'empty');
    await show(reader.read(new Uint8Array(4), { min: 0 }), 'min 0');
    await show(reader.read(new Uint8Array(4), { min: 5 }), 'min 5');
    await show(reader.read(new Uint8Array(4), 1), 'options');
    const read = reader.read(new Uint8Array(4)), request = own.byobRequest;
    log(request);
    request.view[0] = 7;
    for (const count of [9, 0])
        tries('respond', () => request.respond(count));
    for (const view of [new Uint8Array(1), new Uint8Array(4).subarray(1),
        new Uint8Array(4).subarray(0, 0), undefined, 1])
        tries('view', () => request.respondWithNewView(view));
    request.respond(1);
    await show(read, 'read');
    tries('again', () => request.respond(1));
    tries('again', () => request.respondWithNewView(new Uint8Array(1)));
    log(request.view, own.byobRequest);
    own.close();
    tries('enqueue', () => own.enqueue(new Uint8Array(1)));
    tries('close', () => own.close());
    await show(reader.read(new Uint8Array(4)), 'closed');
}

async function writers() {
    const stream = new WritableStream();
    log(stream);
    const writer = stream.getWriter();
    log(writer);
    await show(writer.write(1), 'write');
    await show(writer.close(), 'close');
    await show(writer.close(), 'close');
    await show(stream.abort(), 'locked');
    await show(stream.close(), 'locked');
    tries('locked', () => stream.getWriter());
    log(writer, stream);
    writer.releaseLock();
    tries('released', () => writer.desiredSize);
    for (const name of ['write', 'abort', 'close'])
        await show(writer[name](1), name);
    await show(writer.ready, 'ready');
    await show(writer.closed, 'closed');
    await show(stream.close(), 'closed');
    let own;
    const aborted = new WritableStream({ start(controller) { own = controller; } });
    log(own, own.signal);
    aborted.abort('why');
    log(own.signal, own.signal.reason);
    const failing = new WritableStream({ write() { throw 'no'; } }).getWriter();
    await show(failing.write(1), 'failing');
    await show(failing.closed, 'failing');
    await show(failing.close(), 'failing');
    log(failing);
}

async function rest() {
    log(new TransformStream());
    let own;
    new TransformStream({ start(controller) { own = controller; } });
    log(own.desiredSize);
    own.terminate();
    tries('enqueue', () => own.enqueue(1));
    for (const ctor of [CountQueuingStrategy, ByteLengthQueuingStrategy]) {
        for (const args of [[], [{}], [1]])
            tries(ctor.name, () => new ctor(...args));
        const strategy = new ctor({ highWaterMark: 3 });
        log(strategy, strategy.size, strategy.size({ byteLength: 5 }), strategy.size.length);
        log(new ctor({ highWaterMark: 'a' }).highWaterMark);
    }
    await show(new ReadableStream().pipeTo(1), 'pipeTo');
    await show(new ReadableStream().pipeTo(new WritableStream(), { signal: 1 }), 'signal');
    await show(new ReadableStream().pipeTo(new WritableStream(), 1), 'options');
    log(inspect({ a: { b: { c: new ReadableStream() } } }));
    log(inspect({ a: { b: new ReadableStream() } }));
    const iterator = new ReadableStream().values();
    log(Reflect.ownKeys(Object.getPrototypeOf(iterator)));
    log(new TextDecoderStream(), new TextEncoderStream());
}

// Node's classes for text have no Symbol.toStringTag.
const isInner = (key) => /toStringTag|\(host\)|\(transfer\)|kAbort|kError|kPull|kCancel|kRelease|messaging/.test(String(key));

function members() {
    for (const ctor of [ReadableStream, ReadableStreamDefaultReader, ReadableStreamBYOBReader,
        WritableStream, WritableStreamDefaultWriter, TransformStream, CountQueuingStrategy,
        ByteLengthQueuingStrategy, ReadableStreamDefaultController,
        ReadableByteStreamController, ReadableStreamBYOBRequest,
        WritableStreamDefaultController, TransformStreamDefaultController,
        TextEncoderStream, TextDecoderStream]) {
        log(ctor.name, ctor.length, Object.keys(ctor));
        const lines = Reflect.ownKeys(ctor.prototype).filter((key) => !isInner(key))
            .map((key) => {
                const { value, get, enumerable, writable } =
                    Object.getOwnPropertyDescriptor(ctor.prototype, key);
                return `  ${String(key)} ${value?.length} ${value?.name} ${get?.name} ` +
                    `${enumerable} ${writable}`;
            });
        log(lines.sort().join('\n'));
    }
    const others = [[ReadableStream, 'locked'], [WritableStream, 'locked'],
        [WritableStreamDefaultWriter, 'desiredSize'], [TransformStream, 'readable'],
        [CountQueuingStrategy, 'size'], [ReadableByteStreamController, 'byobRequest'],
        [ReadableStreamBYOBRequest, 'view'], [WritableStreamDefaultController, 'signal'],
        [TextEncoderStream, 'encoding'], [TextDecoderStream, 'encoding']];
    for (const [ctor, key] of others)
        tries(ctor.name, () => Object.getOwnPropertyDescriptor(ctor.prototype, key)
            .get.call({}));
}

(async () => {
    await readers();
    refused();
    await controllers();
    await writers();
    await rest();
    members();
    await show(ReadableStream.prototype.cancel.call({}), 'cancel');
    await show(ReadableStream.prototype.pipeTo.call({}), 'pipeTo');
    tries('tee', () => ReadableStream.prototype.tee.call({}));
    tries('values', () => ReadableStream.prototype.values.call({}));
})();
