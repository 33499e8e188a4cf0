// SPDX-License-Identifier: MIT
// process/advanced -- the messages of a channel in Node's advanced format: a
// length, and a value in V8's format.
'use strict';

const { Buffer } = require('bytes/buffer');
const { DefaultSerializer, DefaultDeserializer } = require('v8/v8');

const VIEW = 0, OTHER = 1; // what an object of the host is

class Writer extends DefaultSerializer {
    _writeHostObject(object) {
        if (ArrayBuffer.isView(object)) {
            this.writeUint32(VIEW);
            super._writeHostObject(object);
        } else {
            this.writeUint32(OTHER);
            this.writeValue({ ...object });
        }
    }
}

class Reader extends DefaultDeserializer {
    _readHostObject() {
        return this.readUint32() === VIEW ? super._readHostObject() : this.readValue();
    }
}

function encode(message) {
    const writer = new Writer();
    writer.writeHeader();
    writer.writeValue(message);
    const body = writer.releaseBuffer(), head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    return Buffer.concat([head, body]);
}

function decodeOne(bytes) {
    const reader = new Reader(bytes);
    reader.readHeader();
    return reader.readValue();
}

// encode(message) returns what is sent; decode(bytes) the messages that are
// complete.
function newAdvanced() {
    let rest = Buffer.alloc(0);
    return { encode, decode(bytes) {
        const messages = [];
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
        while (rest.length >= 4 && rest.length - 4 >= rest.readUInt32BE(0)) {
            const end = 4 + rest.readUInt32BE(0);
            messages.push(decodeOne(rest.subarray(4, end)));
            rest = rest.subarray(end);
        }
        return messages;
    } };
}

module.exports = { newAdvanced };
