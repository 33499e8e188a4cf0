// SPDX-License-Identifier: MIT
// fs/webstream -- FileHandle.readableWebStream(): the rest of a file as a
// ReadableStream.
'use strict';

const { ReadableStream } = require('web/streams');

const CHUNK = 16384;

// type: "bytes" for a byte stream.  leave() releases the handle.
module.exports = function webStream(handle, type, leave) {
    let isOver = false, controller;
    const finish = () => {
        if (!isOver)
            leave();
        isOver = true;
    };
    const end = () => {
        finish();
        controller.close();
        controller.byobRequest?.respond(0);
    };
    // The program closes the file: that is the end.
    handle.once('close', () => {
        if (!isOver)
            end();
    });

    async function fill() {
        const { view } = controller.byobRequest;
        const { bytesRead } = await handle.read(view, 0, view.byteLength);
        if (isOver)
            return;
        if (bytesRead === 0)
            end();
        else
            controller.byobRequest.respond(bytesRead);
    }

    async function enqueue() {
        const bytes = new Uint8Array(CHUNK);
        const { bytesRead } = await handle.read(bytes, 0, CHUNK);
        if (isOver)
            return;
        if (bytesRead === 0)
            end();
        else
            controller.enqueue(bytes.buffer.slice(0, bytesRead));
    }

    const isBytes = type === 'bytes';
    return new ReadableStream({
        type: isBytes ? 'bytes' : undefined,
        autoAllocateChunkSize: isBytes ? CHUNK : undefined,
        start(own) { controller = own; },
        pull: isBytes ? fill : enqueue,
        cancel: finish,
    }, isBytes ? undefined : { highWaterMark: 0 });
};
