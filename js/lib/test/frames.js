// SPDX-License-Identifier: MIT
// frames -- the events of a test file, among what it prints to stdout.
//
// An event is JSON in one or more frames.  A frame is
//
//     magic, 8 bytes | length, 2 bytes | 1: the event goes on, 0: it ends | bytes
//
// and at most as long as what a pipe takes at once (PIPE_BUF): so output of a
// worker never falls into it.
'use strict';

const { Buffer } = require('bytes/buffer');
const { Writable } = require('stream/stream');

const MAGIC = Buffer.from([0xff, 0x0f, 0x77, 0x65, 0x69, 0x72, 0x74, 0xfe]);
const HEAD = MAGIC.length + 3;
const MOST = 4096 - HEAD;
const LONGEST_LINE = 65536, NEWLINE = 10;

function encode(event) {
    const bytes = Buffer.from(require('test/pack').pack(event));
    const frames = [];
    for (let at = 0; at === 0 || at < bytes.length; at += MOST) {
        const part = bytes.subarray(at, at + MOST), head = Buffer.alloc(HEAD);
        MAGIC.copy(head);
        head.writeUInt16BE(part.length, MAGIC.length);
        head[HEAD - 1] = at + MOST < bytes.length ? 1 : 0;
        frames.push(Buffer.concat([head, part]));
    }
    return frames;
}

// Writes the events of a test file to stdout, frame by frame: a pipeline of
// streams would join them.
class Sender extends Writable {
    constructor() {
        super({ objectMode: true });
    }

    #send(event) {
        const { stdout } = require('program/process');
        for (const frame of encode(event))
            stdout.write(frame);
    }

    _write({ type, data }, encoding, callback) {
        this.#send({ type, data });
        callback();
    }

    _final(callback) {
        this.#send({ type: 'weir:files', data: require('test/loaded')() });
        callback();
    }
}

// Separates the events from the rest.
class Decoder {
    #rest = Buffer.alloc(0);
    #parts = [];
    #text = new (require('bytes/stringdecoder').StringDecoder)('utf8');

    constructor(onEvent, onText) {
        this.onEvent = onEvent;
        this.onText = onText;
    }

    #tell(bytes) {
        const text = this.#text.write(bytes);
        if (text !== '')
            this.onText(text);
    }

    // One frame at the beginning of the rest; false if it is not complete.
    #take() {
        if (this.#rest.length < HEAD)
            return false;
        const length = this.#rest.readUInt16BE(MAGIC.length);
        if (this.#rest.length < HEAD + length)
            return false;
        this.#parts.push(this.#rest.subarray(HEAD, HEAD + length));
        const isLast = this.#rest[HEAD - 1] === 0;
        this.#rest = this.#rest.subarray(HEAD + length);
        if (isLast) {
            const bytes = Buffer.concat(this.#parts);
            this.#parts = [];
            this.#event(bytes.toString());
        }
        return true;
    }

    // What is not an event, though it looks like one, is output.
    #event(text) {
        let event;
        try {
            event = require('test/pack').unpack(text);
        } catch {
            this.onText(text);
            return;
        }
        this.onEvent(event);
    }

    // The rest is not an event.  Its last line may go on.
    #tellLines() {
        const end = this.#rest.length > LONGEST_LINE ? this.#rest.length - MAGIC.length
            : this.#rest.lastIndexOf(NEWLINE) + 1;
        this.#tell(this.#rest.subarray(0, end));
        this.#rest = this.#rest.subarray(end);
    }

    feed(chunk) {
        this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
        for (;;) {
            const at = this.#rest.indexOf(MAGIC);
            if (at < 0) {
                this.#tellLines();
                return;
            }
            this.#tell(this.#rest.subarray(0, at));
            this.#rest = this.#rest.subarray(at);
            if (!this.#take())
                return;
        }
    }

    end() {
        this.#tell(this.#rest);
        const text = this.#text.end();
        if (text !== '')
            this.onText(text);
    }
}

module.exports = { Decoder, Sender };
