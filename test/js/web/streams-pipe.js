// pipeTo and pipeThrough: back-pressure, the options, signals, and how errors travel.
'use strict';
const { log } = console;

const tell = (promise, name) => promise.then((value) => log(name, 'ok', value),
    (error) => log(name, 'fail', error.message ?? error));

function numbers(count, name = 'source') {
    let n = 0;
    return new ReadableStream({
        pull(controller) {
            controller.enqueue(n++);
            if (n === count)
                controller.close();
        },
        cancel(reason) { log(name, 'cancelled', String(reason)); },
    });
}

function collector(name = 'dest', more = {}) {
    return new WritableStream({
        write(chunk) { log(name, chunk); },
        close() { log(name, 'closed'); },
        abort(reason) { log(name, 'aborted', String(reason)); },
        ...more,
    });
}

const failing = () => new ReadableStream({
    start(controller) { controller.enqueue(1); },
    pull(controller) { controller.error(new Error('source')); },
});

const sections = {
    async plain() {
        const source = numbers(4), dest = collector();
        const piped = source.pipeTo(dest);
        log(source.locked, dest.locked);
        await tell(piped, 'piped');
        log(source.locked, dest.locked, source, dest);
        await tell(numbers(1).pipeTo(collector(), { preventClose: true }), 'prevented');
    },
    async slow() {
        let most = 0, inside = 0;
        await tell(numbers(10).pipeTo(new WritableStream({
            async write() {
                most = Math.max(most, ++inside);
                await new Promise((resolve) => setImmediate(resolve));
                inside--;
            },
        }, { highWaterMark: 3 })), 'slow');
        log(most, inside);
    },
    async sourceFails() {
        await tell(failing().pipeTo(collector()), 'aborts');
        const dest = collector();
        await tell(failing().pipeTo(dest, { preventAbort: true }), 'does not abort');
        log(dest);
        await tell(failing().pipeTo(collector('dest',
            { abort() { throw new Error('abort'); } })), 'abort fails');
    },
    async destFails() {
        const bad = () => collector('dest', { write() { throw new Error('dest'); } });
        await tell(numbers(9).pipeTo(bad()), 'cancels');
        const source = numbers(9);
        await tell(source.pipeTo(bad(), { preventCancel: true }), 'does not cancel');
        log(source.locked, (await source.getReader().read()).done);
        const closed = new WritableStream();
        await closed.close();
        await tell(numbers(9).pipeTo(closed), 'closed');
        await tell(numbers(9).pipeTo(closed, { preventCancel: true }), 'closed');
        const errored = new WritableStream({ start(own) { own.error(new Error('at once')); } });
        await tell(numbers(9).pipeTo(errored), 'errored');
    },
    async signals() {
        await tell(numbers(9).pipeTo(collector(), { signal: AbortSignal.abort('before') }),
            'before');
        for (const options of [{}, { preventAbort: true }, { preventCancel: true },
            { preventAbort: true, preventCancel: true }]) {
            const controller = new AbortController();
            const source = new ReadableStream({
                cancel(reason) { log('cancelled', String(reason)); } });
            const dest = collector();
            const piped = source.pipeTo(dest, { ...options, signal: controller.signal });
            await null;
            controller.abort(new Error('stop'));
            await tell(piped, JSON.stringify(options));
            log(source.locked, dest.locked, source, dest);
        }
    },
    async through() {
        const doubled = new TransformStream({
            transform(chunk, controller) {
                controller.enqueue(chunk);
                controller.enqueue(-chunk);
            },
            flush(controller) { controller.enqueue('end'); },
        });
        for await (const chunk of numbers(4).pipeThrough(doubled))
            log(chunk);
        const stopped = numbers(1000).pipeThrough(new TransformStream());
        for await (const chunk of stopped)
            if (chunk === 3)
                break;
        log(stopped.locked);
        const bad = numbers(5).pipeThrough(new TransformStream({
            transform(chunk, controller) {
                if (chunk === 2)
                    throw new Error('two');
                controller.enqueue(chunk);
            },
        }));
        try {
            for await (const chunk of bad)
                log(chunk);
        } catch (error) {
            log('caught', error.message);
        }
        const ended = numbers(5).pipeThrough(new TransformStream({
            transform(chunk, controller) {
                controller.enqueue(chunk);
                if (chunk === 2)
                    controller.terminate();
            },
        }));
        for await (const chunk of ended)
            log(chunk);
        await new Promise((resolve) => setImmediate(resolve));
    },
    async bytes() {
        const bytes = new ReadableStream({
            type: 'bytes',
            start(controller) {
                for (let i = 0; i < 3; i++)
                    controller.enqueue(new Uint8Array([i, i]));
                controller.close();
            },
        });
        await tell(bytes.pipeTo(collector()), 'bytes');
        let count = 0;
        const pulled = new ReadableStream({
            type: 'bytes',
            pull(controller) {
                if (count++ < 3)
                    controller.enqueue(new Uint8Array([count]));
                else
                    controller.close();
            },
        });
        await tell(pulled.pipeTo(collector()), 'pulled');
    },
    async waiting() {
        let own;
        const piped = new ReadableStream({ start(controller) { own = controller; } })
            .pipeTo(collector());
        await new Promise((resolve) => setImmediate(resolve));
        own.enqueue('first');
        own.enqueue('second');
        own.close();
        await tell(piped, 'waiting');
    },
    async tooLate() { // the destination fails just before a chunk comes
        let from, to;
        const source = new ReadableStream({ start(controller) { from = controller; } });
        const dest = new WritableStream({ start(controller) { to = controller; } });
        const piped = source.pipeTo(dest, { preventCancel: true });
        await new Promise((resolve) => setImmediate(resolve));
        to.error(new Error('dest'));
        from.enqueue('lost');
        await tell(piped, 'too late');
        await new Promise((resolve) => setImmediate(resolve));
        log(source.locked, dest.locked);
    },
    async failingRead() { // a transform that fails while a read and a write wait
        let own;
        const { readable, writable } = new TransformStream(
            { start(controller) { own = controller; } });
        const writer = writable.getWriter(), reader = readable.getReader();
        for (const promise of [writer.ready, writer.closed, reader.closed])
            promise.catch(() => {});
        const written = tell(writer.write('waits'), 'written');
        await new Promise((resolve) => setImmediate(resolve));
        const first = tell(reader.read(), 'first');
        own.enqueue('answer');
        own.error(new Error('failed'));
        await Promise.all([first, written]);
        await tell(reader.read(), 'second');
    },
    async text() {
        const bytes = [[0x61, 0xe2], [0x82], [0xac, 0x62], [0xff]];
        const text = ReadableStream.from(bytes.map((list) => new Uint8Array(list)))
            .pipeThrough(new TextDecoderStream());
        for await (const chunk of text)
            log(JSON.stringify(chunk));
        await tell(ReadableStream.from([new Uint8Array([0xff])]).pipeThrough(
            new TextDecoderStream('utf-8', { fatal: true })).getReader().read(), 'fatal');
        const encoded = ReadableStream.from(['a\ud83d', '\ude00', 'b']).pipeThrough(
            new TextEncoderStream());
        const all = [];
        for await (const chunk of encoded)
            all.push(...chunk);
        log(all);
    },
};

(async () => {
    for (const [name, fn] of Object.entries(sections)) {
        log(`==== ${name}`);
        await fn();
    }
})();
