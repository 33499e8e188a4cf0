// SPDX-License-Identifier: MIT
// stream/duplexpair -- two streams, each of which reads what the other one
// writes.
'use strict';

const { Duplex } = require('stream/stream');
const { nextTick } = require('timers/timers');

class DuplexSide extends Duplex {
    other = null;
    written = null; // the callback of the other one's write

    _read() {
        const done = this.written;
        this.written = null;
        done?.();
    }

    _write(chunk, encoding, done) {
        if (chunk.length === 0) {
            nextTick(done);
            return;
        }
        this.other.push(chunk);
        this.other.written = done;
    }

    _final(done) {
        this.other.on('end', done);
        this.other.push(null);
    }
}

module.exports = function duplexPair(options) {
    const one = new DuplexSide(options), two = new DuplexSide(options);
    one.other = two;
    two.other = one;
    return [one, two];
};
