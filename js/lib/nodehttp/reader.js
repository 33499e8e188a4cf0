// SPDX-License-Identifier: MIT
// nodehttp/reader -- the responses in what a socket of a client has read.
'use strict';

const binding = require('nodehttp/binding');

// weir/host/parser.h
const MORE = 0, HEAD = 1, DATA = 2, TRAILERS = 3, COMPLETE = 4, FAILED = 5;

const ELIMIT = -4113; // of libweir

const MOST_FIELDS = 8192; // more do not fit into a head

const taken = new Uint32Array(2); // [bytes, data]

class ResponseReader {
    constructor(method, maxHeaderSize) {
        this.parser = binding.newParser(maxHeaderSize || 16384, MOST_FIELDS);
        this.message = null;
        this.isOver = false;
        binding.expect(this.parser, method);
    }

    // Pass on what is in a piece of the input.  Returns an error, or undefined.
    run(chunk, socket, to) {
        let at = 0;
        while (!this.isOver && !socket.destroyed) {
            const event = binding.next(this.parser, chunk, at, taken);
            const [count, size] = taken;
            at += count;
            switch (event) {
            case MORE:
                return undefined;
            case HEAD:
                this.message = to.head(this, socket, binding.head(this.parser));
                break;
            case DATA:
                if (this.message)
                    to.data(this, socket, this.message, chunk.subarray(at - size, at));
                break;
            case TRAILERS:
                if (this.message)
                    this.message.rawTrailers = binding.trailers(this.parser);
                break;
            case COMPLETE:
                this.complete(chunk, at, socket, to);
                break;
            case FAILED:
                this.isOver = true;
                return this.error(chunk, at);
            }
        }
        return undefined;
    }

    complete(chunk, at, socket, to) {
        const { message } = this;
        if (message === null)
            return; // an interim response
        this.isOver = true;
        if (message.upgrade)
            to.upgrade(this, socket, message, chunk.subarray(at));
        else
            to.complete(this, socket, message, at < chunk.length);
    }

    // The input has ended.  Returns true if this is the end of the response.
    finish() {
        if (this.isOver)
            return false;
        this.isOver = true;
        return this.message !== null && binding.finish(this.parser) === COMPLETE;
    }

    error(chunk, at) {
        const [status, , text] = binding.refusal(this.parser);
        const isTooLong = status === ELIMIT && !text.startsWith('chunk');
        const reason = isTooLong ? 'Header overflow' : text;
        const error = new Error(`Parse Error: ${reason}`);
        error.bytesParsed = at;
        error.code = isTooLong ? 'HPE_HEADER_OVERFLOW'
            : require('nodehttp/common').refusalCode(text);
        error.reason = reason;
        error.rawPacket = chunk;
        return error;
    }
}

module.exports = { ResponseReader };
