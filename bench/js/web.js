// SPDX-License-Identifier: MIT
// Streams of the web: nanoseconds for a chunk that is read, piped, piped through a
// transform, and for 64 KiB in a pipe of bytes.  The first round is a warm-up.
'use strict';

const COUNT = 50000;

const counting = (count, make, more) => new ReadableStream({
    ...more,
    pull(controller) {
        if (count-- > 0)
            controller.enqueue(make());
        else
            controller.close();
    },
});
const one = () => 1;
const block = () => new Uint8Array(65536);
const nowhere = () => new WritableStream({ write() {} });

const rounds = [
    async (count) => {
        const reader = counting(count, one).getReader();
        while (!(await reader.read()).done);
    },
    (count) => counting(count, one).pipeTo(nowhere()),
    (count) => counting(count, one).pipeThrough(new TransformStream({
        transform(chunk, controller) { controller.enqueue(chunk); },
    })).pipeTo(nowhere()),
    (count) => counting(count, block, { type: 'bytes' }).pipeTo(nowhere()),
];

(async () => {
    for (const round of rounds) {
        await round(COUNT / 10);
        const began = performance.now();
        await round(COUNT);
        console.log((performance.now() - began) * 1e6 / COUNT);
    }
})();
