// pipeline and finished: with callbacks, promises, generators, signals.
import stream, { Readable, Writable, Transform, PassThrough, Duplex, pipeline, finished } from 'node:stream';
import { pipeline as promised, finished as done } from 'stream/promises';
const { log } = console;
const show = (error) => error && `${error.name} ${error.code} ${error.message}`;
const sink = (name) => new Writable({ objectMode: true, write(chunk, encoding, next) { log(name, String(chunk)); next(); } });
const tick = () => new Promise(setImmediate);
const asCallback = (...args) => new Promise((resolve) => {
    const last = pipeline(...args, (error, value) => resolve([show(error), value]));
    log('returns', last?.constructor?.name, last === args.at(-1));
});

log(await asCallback(Readable.from(['a', 'b']), new PassThrough(), sink('1')));
log(await asCallback(['x', 'y'], async function* (source) { for await (const one of source) yield `${one}${one}`; }, sink('2')));
log(await asCallback(async function* () { yield 'g'; }, async (source) => { let all = ''; for await (const one of source) all += one; return all; }));
log(await asCallback(new Readable({ read() { this.destroy(new Error('source')); } }), new PassThrough(), sink('3')));
log(await asCallback(Readable.from(['a']), new Transform({ transform(chunk, encoding, next) { next(new Error('middle')); } }), sink('4')));
log(await asCallback(Readable.from(['a']), new Writable({ write(chunk, encoding, next) { next(new Error('sink')); } })));
log(await asCallback(Readable.from(['a']), async function* (source) { for await (const one of source) throw new Error(`in generator ${one}`); }, sink('5')));
{
    const early = new Readable({ read() {} });
    const result = asCallback(early, sink('6'));
    early.destroy();
    log(await result);
}
{
    const through = new PassThrough(), end = sink('7');
    const result = asCallback(through, end);
    through.write('x');
    await tick();
    end.destroy();
    log(await result, through.destroyed);
}
// promises
log(await promised(Readable.from(['p']), sink('8')));
log(await promised([1, 2, 3], async function* (source) { for await (const one of source) yield one * 2; }, async (source) => { let sum = 0; for await (const one of source) sum += one; return sum; }));
await promised(Readable.from(['q']), sink('9'), { end: false }).then(() => log('not ended'));
{
    const controller = new AbortController(), source = new Readable({ read() {} }), target = sink('10');
    const result = promised(source, target, { signal: controller.signal });
    controller.abort(new Error('why'));
    await result.catch((error) => log(show(error), show(error.cause)));
    log(source.destroyed, target.destroyed);
    await promised(Readable.from(['z']), sink('11'), { signal: AbortSignal.abort() }).catch((error) => log(show(error)));
}
for (const args of [[], [Readable.from([])], [Readable.from([]), {}, 5], [5, sink('')]])
    try {
        pipeline(...args, () => {});
        log('nothing thrown');
    } catch (error) {
        log(show(error));
    }
try {
    pipeline(Readable.from([]), sink(''));
} catch (error) {
    log(show(error));
}
try {
    pipeline(Readable.from([]), () => 5, () => {});
} catch (error) {
    log(show(error));
}

// finished
const watch = (stream, options) => new Promise((resolve) => finished(stream, options, (error) => resolve(show(error))));
{
    const stream = new PassThrough();
    const all = [watch(stream, {}), watch(stream, { readable: false }), watch(stream, { writable: false })];
    stream.end('x');
    stream.resume();
    log(await Promise.all(all));
    log(await watch(stream, {}));
}
{
    const stream = new Readable({ read() {} });
    const result = watch(stream, {});
    stream.destroy();
    log(await result, await watch(stream, {}));
    const failed = new Writable();
    const other = watch(failed, {});
    failed.destroy(new Error('failed'));
    log(await other, await watch(failed, {}));
}
{
    const stream = new Readable({ read() {} });
    let called = false;
    const cleanup = finished(stream, () => { called = true; });
    cleanup();
    stream.push(null);
    stream.resume();
    await tick();
    log(called, stream.listenerCount('end'), stream.listenerCount('error'));
    const controller = new AbortController();
    const open = new Readable({ read() {} });
    const result = done(open, { signal: controller.signal });
    controller.abort();
    await result.catch((error) => log(show(error), open.destroyed));
    await done(Readable.from([]).resume(), { cleanup: true }).then((value) => log('done', value));
}
for (const bad of [undefined, 5, {}])
    try {
        finished(bad, () => {});
    } catch (error) {
        log(show(error));
    }
log(stream.isReadable(new PassThrough()), stream.isErrored(new PassThrough()), stream.isDisturbed(new PassThrough()), stream.isReadable({}), stream.isDisturbed(Readable.from([])));
{
    const [left, right] = [new PassThrough(), new PassThrough()];
    const duplex = Duplex.from({ readable: left, writable: right });
    right.on('data', (chunk) => log('right', String(chunk)));
    duplex.on('data', (chunk) => log('duplex', String(chunk)));
    duplex.end('to the right');
    left.end('from the left');
    await done(duplex);
}
