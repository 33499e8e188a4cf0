// SPDX-License-Identifier: MIT
// compression -- CompressionStream and DecompressionStream of the Compression
// Standard.
'use strict';

const { invalidValue, reveal, show, wrongThis } = require('web/base');
const { newTransform } = require('web/transform');
const { Engine, run } = require('zlib/engine');
const { ofZlib, toBytes } = require('zlib/options');
const { constants, modes } = require('zlib/constants');

const SIZE = 65536;

// Send one chunk through a codec on the pool.  Nothing can be enqueued if the
// reader has cancelled the stream meanwhile.
function pass(engine, input, flush, controller) {
    return new Promise((resolve, reject) => {
        run(engine, flush, input, SIZE, false, function onDone({ output, isFull }) {
            try {
                if (output.byteLength > 0)
                    controller.enqueue(new Uint8Array(output));
            } catch (error) {
                reject(error);
                return;
            }
            if (isFull)
                run(engine, flush, undefined, SIZE, false, onDone, reject);
            else
                resolve();
        }, reject);
    });
}

function codes(mode) {
    const engine = Engine.open(ofZlib(mode));
    return {
        transform: (chunk, controller) =>
            pass(engine, toBytes(chunk), constants.Z_NO_FLUSH, controller),
        flush: (controller) =>
            pass(engine, new Uint8Array(0), constants.Z_FINISH, controller),
    };
}

function modeOf(format, table) {
    if (!Object.hasOwn(table, format))
        throw invalidValue(TypeError, 'format', format);
    return table[format];
}

const encoders = { deflate: modes.DEFLATE, 'deflate-raw': modes.DEFLATERAW, gzip: modes.GZIP };
const decoders = { deflate: modes.INFLATE, 'deflate-raw': modes.INFLATERAW, gzip: modes.GUNZIP };

class CompressionStream {
    #transform;

    constructor(format) {
        this.#transform = newTransform(codes(modeOf(format, encoders)));
    }

    get readable() {
        if (!(#transform in this))
            throw wrongThis('CompressionStream');
        return this.#transform.readable.object;
    }
    get writable() {
        if (!(#transform in this))
            throw wrongThis('CompressionStream');
        return this.#transform.writable.object;
    }
}

class DecompressionStream {
    #transform;

    constructor(format) {
        this.#transform = newTransform(codes(modeOf(format, decoders)));
    }

    get readable() {
        if (!(#transform in this))
            throw wrongThis('DecompressionStream');
        return this.#transform.readable.object;
    }
    get writable() {
        if (!(#transform in this))
            throw wrongThis('DecompressionStream');
        return this.#transform.writable.object;
    }
}

for (const Class of [CompressionStream, DecompressionStream]) {
    reveal(Class, 'readable', 'writable');
    show(Class, ({ readable, writable }) => ({ readable, writable }));
}

module.exports = { CompressionStream, DecompressionStream };
