// SPDX-License-Identifier: MIT
// zlib/pieces -- a long gzip or raw deflate stream, compressed as pieces on several
// threads of the pool.
//
// zlib compresses one stream on one thread.  But a piece needs nothing of the one
// before it except its last 32 KiB, as a dictionary: then it may refer to them as if
// it were part of the same stream.  A piece ends with a sync flush, at a whole byte,
// so the pieces in their order are one stream.  A flush of the program ends a piece;
// only the one that finishes the stream has its last block.
//
// A stream that begins with a small chunk is compressed by its own codec, and so is
// one with a dictionary, or with other than the usual settings.
'use strict';

const { Buffer, kMaxLength } = require('bytes/buffer');
const { toBuffer } = require('bytes/bytes');
const { constants, modes } = require('zlib/constants');
const { Engine, crc32, run } = require('zlib/engine');

const PIECE = 64 << 10, WINDOW = 32 << 10;
const LEVEL = 3, STRATEGY = 7; // in the parameters of js/lib/zlib/options.js
const USUAL = [0, 15, 1, undefined, 2, 8, 3, constants.Z_DEFAULT_STRATEGY];
const { Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH } = constants;

const cores = () => require('system/os').availableParallelism();

function isFor(engine, chunk, flush) {
    return (engine.mode === modes.GZIP || engine.mode === modes.DEFLATERAW) &&
        engine.dictionary === undefined && flush === Z_NO_FLUSH && chunk.byteLength >= PIECE &&
        USUAL.every((value, i) => value === undefined || engine.parameters[i] === value) &&
        cores() > 1;
}

// As zlib writes it.
function header(level) {
    const flags = level === constants.Z_BEST_COMPRESSION ? 2
        : level === constants.Z_BEST_SPEED ? 4 : 0;
    return Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, flags, 3]);
}

class Pieces {
    #stream; #isGzip; #whenRead;
    #held = []; #heldBytes = 0;     // what is not enough for a piece yet
    #dictionary = Buffer.alloc(0);
    #crc = 0; #bytes = 0;
    #running = [];                  // pieces in their order
    #most = Math.min(cores(), 4) + 1;
    #waiting;                       // {mayHave, callback}: how many pieces may be running then
    #hasHeader; #isFinished = false;

    // `whenRead(stream, next)` waits for the reader.
    constructor(stream, { mode }, whenRead) {
        this.#stream = stream;
        this.#isGzip = mode === modes.GZIP;
        this.#hasHeader = !this.#isGzip;
        this.#whenRead = whenRead;
    }

    // Calls back when the next chunk may come; after a flush, when everything has
    // gone to the reader.
    add(chunk, flush, callback) {
        if (chunk.byteLength > 0) {
            this.#held.push(chunk);
            this.#heldBytes += chunk.byteLength;
        }
        const isLast = flush === Z_FINISH && !this.#isFinished;
        if (this.#heldBytes >= PIECE || isLast || (flush !== Z_NO_FLUSH && this.#heldBytes > 0))
            this.#start(isLast);
        else if (chunk.byteLength > 0) // the caller may change it
            this.#held[this.#held.length - 1] = Buffer.from(chunk);
        if (flush === Z_FULL_FLUSH)
            this.#dictionary = Buffer.alloc(0);
        this.#waiting = { mayHave: flush === Z_NO_FLUSH ? this.#most - 1 : 0, callback };
        this.#goOn();
    }

    #start(isLast) {
        const bytes = this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held);
        const level = this.#stream._level;
        const parameters = [...USUAL];
        parameters[LEVEL] = level;
        parameters[STRATEGY] = this.#stream._strategy;
        const engine = Engine.open({ mode: modes.DEFLATERAW, parameters,
            dictionary: this.#dictionary.byteLength > 0 ? this.#dictionary : undefined });
        const piece = { output: undefined, bytes: bytes.byteLength, isLast };
        run(engine, isLast ? Z_FINISH : Z_SYNC_FLUSH, bytes, kMaxLength, true, ({ output }) => {
            engine.close();
            piece.output = output;
            this.#show();
            this.#goOn();
        }, (error) => {
            engine.close();
            this.#stream.destroy(error);
        });
        this.#running.push(piece);
        this.#held = [];
        this.#heldBytes = 0;
        this.#bytes += bytes.byteLength;
        if (this.#isGzip)
            this.#crc = crc32(bytes, this.#crc);
        this.#isFinished = isLast;
        // A copy: the caller may change the chunk.
        this.#dictionary = bytes.byteLength >= WINDOW ? Buffer.from(bytes.subarray(-WINDOW))
            : Buffer.concat([this.#dictionary, bytes]).subarray(-WINDOW);
    }

    // Send the finished pieces that come next.
    #show() {
        while (this.#running[0]?.output !== undefined && !this.#stream.destroyed) {
            const { output, bytes, isLast } = this.#running.shift();
            if (!this.#hasHeader)
                this.#stream.push(header(this.#stream._level));
            this.#hasHeader = true;
            this.#stream.bytesWritten += bytes;
            this.#stream.push(toBuffer(output));
            if (isLast && this.#isGzip && !this.#stream.destroyed)
                this.#stream.push(this.#trailer());
        }
    }

    #trailer() {
        const trailer = Buffer.alloc(8);
        trailer.writeUInt32LE(this.#crc, 0);
        trailer.writeUInt32LE(this.#bytes % 2 ** 32, 4);
        return trailer;
    }

    // Also while few pieces are running, the reader may have more than it wants.
    #goOn() {
        const stream = this.#stream;
        if (this.#waiting === undefined ||
            (this.#running.length > this.#waiting.mayHave && !stream.destroyed))
            return;
        const { callback } = this.#waiting;
        this.#waiting = undefined;
        if (stream.destroyed || stream.readableLength < stream.readableHighWaterMark)
            callback();
        else
            this.#whenRead(stream, callback);
    }
}

module.exports = { Pieces, isFor };
