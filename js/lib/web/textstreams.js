// SPDX-License-Identifier: MIT
// textstreams -- TextEncoderStream and TextDecoderStream of the Encoding Standard.
'use strict';

const { reveal, show, wrongThis } = require('web/base');
const { newTransform } = require('web/transform');
const { TextDecoder, TextEncoder } = require('bytes/encoding');

const encoder = new TextEncoder();

// The first half of a surrogate pair waits for the second in the next chunk.
function encodes() {
    let half = '';
    return {
        transform(chunk, controller) {
            const text = half + `${chunk}`, last = text.charCodeAt(text.length - 1);
            half = last >= 0xd800 && last <= 0xdbff ? text.at(-1) : '';
            const bytes = encoder.encode(half === '' ? text : text.slice(0, -1));
            if (bytes.length > 0)
                controller.enqueue(bytes);
        },
        flush(controller) {
            if (half !== '')
                controller.enqueue(new Uint8Array([0xef, 0xbf, 0xbd]));
        },
    };
}

class TextEncoderStream {
    #transform = newTransform(encodes());

    get encoding() {
        if (!(#transform in this))
            throw wrongThis('TextEncoderStream');
        return 'utf-8';
    }
    get readable() {
        if (!(#transform in this))
            throw wrongThis('TextEncoderStream');
        return this.#transform.readable.object;
    }
    get writable() {
        if (!(#transform in this))
            throw wrongThis('TextEncoderStream');
        return this.#transform.writable.object;
    }
}

class TextDecoderStream {
    #decoder; #transform;

    constructor(encoding = 'utf-8', options = undefined) {
        const decoder = this.#decoder = new TextDecoder(encoding, options);
        this.#transform = newTransform({
            transform(chunk, controller) {
                const text = decoder.decode(chunk, { stream: true });
                if (text !== '')
                    controller.enqueue(text);
            },
            flush(controller) {
                const text = decoder.decode();
                if (text !== '')
                    controller.enqueue(text);
            },
        });
    }

    static decoderOf(value) {
        if (typeof value !== 'object' || value === null || !(#decoder in value))
            throw wrongThis('TextDecoderStream');
        return value.#decoder;
    }

    get encoding() { return decoderOf(this).encoding; }
    get fatal() { return decoderOf(this).fatal; }
    get ignoreBOM() { return decoderOf(this).ignoreBOM; }
    get readable() {
        decoderOf(this);
        return this.#transform.readable.object;
    }
    get writable() {
        decoderOf(this);
        return this.#transform.writable.object;
    }
}
const { decoderOf } = TextDecoderStream;
delete TextDecoderStream.decoderOf;

reveal(TextEncoderStream, 'encoding', 'readable', 'writable');
reveal(TextDecoderStream, 'encoding', 'fatal', 'ignoreBOM', 'readable', 'writable');
show(TextEncoderStream, ({ encoding, readable, writable }) =>
    ({ encoding, readable, writable }));
show(TextDecoderStream, ({ encoding, fatal, ignoreBOM, readable, writable }) =>
    ({ encoding, fatal, ignoreBOM, readable, writable }));

module.exports = { TextEncoderStream, TextDecoderStream };
