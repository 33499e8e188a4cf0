// Between Node's streams and those of the web.
import { Readable, Writable, Duplex, PassThrough } from 'stream';
import { ReadableStream, WritableStream, TransformStream } from 'stream/web';
const { log } = console;
const show = (error) => `${error.name} ${error.code} ${error.message}`;
const collect = async (stream) => {
    const values = [];
    for await (const value of stream)
        values.push(value);
    return values;
};
const turn = () => new Promise(setImmediate);

{ // a Readable to the web
    const web = Readable.toWeb(Readable.from(['a', 'b'], { objectMode: false }));
    log(web instanceof ReadableStream, await collect(web));
    log(await collect(Readable.toWeb(Readable.from([1, { a: 2 }, 'x']))));
    const failing = Readable.toWeb(new Readable({ read() { this.destroy(new Error('source')); } }));
    await collect(failing).catch((error) => log(show(error)));
    const node = new Readable({ read() {} });
    const cancelled = Readable.toWeb(node);
    await cancelled.cancel(new Error('enough')).catch((error) => log(show(error)));
    await turn();
    log(node.destroyed, node.errored?.message);
    const closed = new Readable({ read() {} });
    const early = Readable.toWeb(closed);
    closed.destroy();
    await collect(early).catch((error) => log(show(error)));
    const gone = new Readable({ read() {} });
    gone.on('error', () => {}).destroy();
    log(await collect(Readable.toWeb(gone)));
}
{ // back-pressure
    let reads = 0;
    const node = new Readable({ highWaterMark: 2, objectMode: true, read() { this.push(reads++ < 20 ? reads : null); } });
    const web = Readable.toWeb(node);
    await turn();
    await turn();
    log(reads < 10, (await collect(web)).length);
}
{ // from the web
    const web = new ReadableStream({ start(controller) { controller.enqueue('a'); controller.enqueue(new Uint8Array([98])); controller.close(); } });
    const node = Readable.fromWeb(web);
    log(node instanceof Readable, web.locked, (await collect(node)).map(String));
    log(await collect(Readable.fromWeb(new ReadableStream({ start(controller) { controller.enqueue({ a: 1 }); controller.close(); } }), { objectMode: true })));
    log(await collect(Readable.fromWeb(new ReadableStream({ start(controller) { controller.enqueue(new Uint8Array([0xc3])); controller.enqueue(new Uint8Array([0xa9])); controller.close(); } }), { encoding: 'utf8' })));
    await collect(Readable.fromWeb(new ReadableStream({ pull(controller) { controller.error(new Error('web')); } }))).catch((error) => log(show(error)));
    let reason;
    const cancelled = Readable.fromWeb(new ReadableStream({ cancel(why) { reason = why; } }));
    cancelled.on('error', (error) => log('error', error.message)).destroy(new Error('why'));
    await turn();
    log(reason?.message);
    const controller = new AbortController();
    const aborted = Readable.fromWeb(new ReadableStream({}), { signal: controller.signal });
    aborted.on('error', (error) => log('error', show(error)));
    controller.abort();
    await turn();
}
{ // a Writable to the web
    const written = [];
    const node = new Writable({ write(chunk, encoding, done) { written.push(String(chunk)); setImmediate(done); }, final(done) { written.push('final'); done(); } });
    const web = Writable.toWeb(node);
    const writer = web.getWriter();
    writer.write('one');
    writer.write(new Uint8Array([50]));
    await writer.close();
    log(web instanceof WritableStream, written, node.writableFinished);
    const failing = Writable.toWeb(new Writable({ write(chunk, encoding, done) { done(new Error('write')); } })).getWriter();
    failing.closed.catch((error) => log('closed', show(error)));
    await failing.write('x').catch((error) => log(show(error)));
    await turn();
    const target = new Writable({ write(chunk, encoding, done) { done(); } });
    target.on('error', (error) => log('error', show(error)));
    await Writable.toWeb(target).abort(new Error('abort'));
    await turn();
    log(target.destroyed);
}
{ // and from it
    const written = [];
    const web = new WritableStream({ write(chunk) { written.push(chunk); }, close() { written.push('close'); } });
    const node = Writable.fromWeb(web);
    node.write('text');
    node.write(Buffer.from([1]));
    await new Promise((resolve) => node.end(resolve));
    log(written);
    const objects = [];
    const other = Writable.fromWeb(new WritableStream({ write(chunk) { objects.push(chunk); } }), { objectMode: true });
    other.end({ a: 1 });
    await new Promise((resolve) => other.on('close', resolve));
    log(objects);
    const failing = Writable.fromWeb(new WritableStream({ write() { throw new Error('web'); } }));
    failing.on('error', (error) => log('error', show(error)));
    failing.write('x');
    await turn();
    await turn();
    log(failing.destroyed);
    let why;
    const aborted = Writable.fromWeb(new WritableStream({ abort(reason) { why = reason; } }));
    aborted.on('error', () => {}).destroy(new Error('destroyed'));
    await turn();
    log(why?.message);
}
{ // both
    const { readable, writable } = Duplex.toWeb(new PassThrough());
    const writer = writable.getWriter();
    writer.write('through');
    writer.close();
    log((await collect(readable)).map((chunk) => Buffer.from(chunk).toString()));
    const duplex = Duplex.fromWeb(new TransformStream({ transform(chunk, controller) { controller.enqueue(String(chunk).toUpperCase()); } }), { encoding: 'utf8', objectMode: true });
    duplex.write('a');
    duplex.end('b');
    log(await collect(duplex));
}
for (const call of [() => Readable.toWeb({}), () => Readable.fromWeb({}), () => Writable.toWeb(5), () => Writable.fromWeb(new ReadableStream()), () => Duplex.toWeb(new Readable()), () => Duplex.fromWeb({}), () => Readable.fromWeb(new ReadableStream(), 5), () => Readable.fromWeb(new ReadableStream(), { encoding: 'x' }), () => Readable.fromWeb(new ReadableStream(), { objectMode: 5 }), () => Writable.fromWeb(new WritableStream(), { decodeStrings: 5 })])
    try {
        call();
        log('nothing thrown');
    } catch (error) {
        log(show(error));
    }
