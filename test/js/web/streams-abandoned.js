// weir only: Node's collector runs when it likes
// long: address
// 100,000 streams that are left half-way are collected.
'use strict';

const source = () => {
    let n = 0;
    return { pull(controller) { controller.enqueue(new Uint8Array([n++])); } };
};
const never = () => new Promise(() => {});
const kinds = [
    () => new ReadableStream(source()),
    () => new ReadableStream({ type: 'bytes', ...source() }),
    () => new ReadableStream(source()).pipeThrough(new TransformStream()),
    () => new ReadableStream(source()).tee()[0],
    () => new Blob(['a', 'b']).stream(),
    () => new ReadableStream({ pull: never }),
    () => ReadableStream.from((function* () { yield 1; yield 2; })()),
    () => new ReadableStream(source()).pipeThrough(new TextDecoderStream()),
];

async function abandon(i) {
    const reader = kinds[i % kinds.length]().getReader();
    const read = reader.read();
    if (i % kinds.length !== 5)
        await read;
    const writer = new WritableStream({ write: never }).getWriter();
    writer.write(1);
    void writer.ready;
}

(async () => {
    const sizes = [];
    for (let i = 0; i <= 100000; i++) {
        await abandon(i);
        if (i % 25000 === 0 && i > 0)
            sizes.push(process.memoryUsage().heapUsed);
    }
    const [first] = sizes, last = sizes.at(-1);
    console.log(last < first * 1.25 + 1e6 ? 'flat' : sizes);
})();
