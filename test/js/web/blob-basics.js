// Blob and File: their bytes, slices, streams, URLs and clones.
'use strict';
const buffer = require('buffer');
const { log } = console;

const show = (promise, name) => promise.then((value) => log(name, 'ok', value),
    (error) => log(name, 'fail', error?.name, error?.code, error?.message));

function tries(name, fn) {
    try {
        const value = fn();
        log(name, value);
        return value;
    } catch (error) {
        log(name, error.name, error.code, error.message);
        return undefined;
    }
}

async function blobs() {
    log(buffer.Blob === Blob, buffer.File === File, typeof buffer.resolveObjectURL);
    const arrayLike = { [Symbol.iterator]: Array.prototype[Symbol.iterator], length: 1, 0: 'q' };
    for (const args of [[], [[]], [['abc', new Uint8Array([65, 66]), new ArrayBuffer(2),
        new Blob(['x']), 12, null, undefined, {}]], [new Set(['a'])], ['abc'], [1], [null],
    [undefined], [{}], [['a'], 1], [['a'], null], [['a'], { type: 'Text/PLAIN' }],
    [['a'], { type: 'a\u00ff' }], [['a\r\nb\nc'], { endings: 'native' }],
    [['a'], { endings: 'x' }], [['\ud800']], [[new DataView(new ArrayBuffer(3), 1)]],
    [[new Uint16Array([1, 2])]], [arrayLike], [['a'], { type: null }],
    [['a'], { type: undefined }]]) {
        const blob = tries('Blob', () => new Blob(...args));
        if (blob !== undefined) {
            await show(blob.text(), 'text');
            await show(blob.arrayBuffer(), 'arrayBuffer');
        }
    }
}

async function parts() {
    const blob = new Blob(['hello ', 'world'], { type: 'a/b' });
    for (const args of [[], [1], [-3], [2, 4], [-4, -2], [5, 2], [0, 100], ['1', '3'],
        [0, 3, 'X/Y'], [undefined, 3], [0, null]]) {
        const slice = blob.slice(...args);
        log(args, slice, await slice.text());
    }
    log(await blob.slice(2, 9).slice(2, 5).text());
    log(await new Blob([blob.slice(3), '-', blob.slice(0, 2)]).text());
    await show(blob.bytes(), 'bytes');
    log(blob.stream());
    let size = 0;
    for await (const chunk of new Blob(['x'.repeat(200000)]).stream())
        size += chunk.length;
    log(size);
    const bytes = new Uint8Array([1, 2, 3]), copied = new Blob([bytes]);
    bytes[0] = 9;
    await show(copied.bytes(), 'copied');
    const reader = copied.stream().getReader({ mode: 'byob' });
    await show(reader.read(new Uint8Array(2)), 'byob');
    await show(reader.read(new Uint8Array(2)), 'byob');
    await show(reader.read(new Uint8Array(2)), 'byob');
    for await (const chunk of new Blob([]).stream())
        log('never', chunk);
    const cancelled = blob.stream();
    await show(cancelled.cancel(), 'cancel');
}

function files() {
    for (const args of [[], [[]], [['a'], 'n', { lastModified: 5, type: 'T' }],
        [['a'], 1, { lastModified: 5 }], [['a'], '\ud800', { lastModified: 5 }],
        [['a'], 'n', 1], [['a'], 'n', { lastModified: NaN }],
        [['a'], 'n', { lastModified: new Date(7) }], ['a', 'n']])
        tries('File', () => {
            const file = new File(...args);
            return [file.lastModified, file.name, file.type, file.size,
                file instanceof Blob, String(file)];
        });
    const before = Date.now(), { lastModified } = new File([], '');
    log(before <= lastModified && lastModified <= Date.now());
    log(new File(['a'], 'n', { lastModified: 3 }), { a: { b: { c: new Blob([]) } } },
        { b: new Blob([]) });
}

async function others() {
    tries('size', () => Object.getOwnPropertyDescriptor(Blob.prototype, 'size').get.call({}));
    tries('slice', () => Blob.prototype.slice.call({}));
    tries('stream', () => Blob.prototype.stream.call({}));
    await show(Blob.prototype.text.call({}), 'text');
    await show(Blob.prototype.arrayBuffer.call({}), 'arrayBuffer');
    const blob = new Blob(['hello'], { type: 'a/b' }), url = URL.createObjectURL(blob);
    log(url.replace(/[0-9a-f-]{36}$/, 'ID'));
    const found = buffer.resolveObjectURL(url);
    log(found, await found.text());
    URL.revokeObjectURL(url);
    for (const one of [url, 'x', 'blob:nodedata:1'])
        log(buffer.resolveObjectURL(one));
    tries('create', () => URL.createObjectURL({}));
    tries('create', () => URL.createObjectURL());
    tries('revoke', () => URL.revokeObjectURL());
    tries('revoke', () => URL.revokeObjectURL('zz'));
}

async function clones() {
    const blob = new Blob(['hello ', 'world'], { type: 'a/b' });
    tries('clone', () => structuredClone({ x: [blob] }));
    await show(structuredClone(blob).text(), 'clone');
    const both = structuredClone([blob, blob]);
    log(both[0] === both[1], both[0] === blob);
    const { port1, port2 } = new MessageChannel();
    port1.postMessage({ some: blob.slice(6), other: new Blob(['q']) });
    const { message } = require('worker_threads').receiveMessageOnPort(port2);
    log(message, await message.some.text(), await message.other.text());
    const { Worker } = require('worker_threads');
    const worker = new Worker(`
        const { parentPort, workerData } = require('worker_threads');
        parentPort.once('message', async (blob) => {
            parentPort.postMessage([await blob.text(), blob.slice(1, 3), blob.type,
                await workerData.text()]);
        });`, { eval: true, workerData: new Blob(['data']) });
    worker.postMessage(blob);
    worker.once('message', async ([text, slice, ...rest]) =>
        log(text, await slice.text(), rest));
}

(async () => {
    await blobs();
    await parts();
    files();
    await others();
    await clones();
})();
