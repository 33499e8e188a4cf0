// SPDX-License-Identifier: MIT
// v8 -- the part of Node's module that does not depend on V8: serialize,
// deserialize and their classes.
'use strict';

const { Buffer } = require('bytes/buffer');
const { classOf } = require('util/kinds');
const { addFunctions } = require('program/absent');
const { Serializer } = require('v8/writer');
const { Deserializer } = require('v8/reader');

// By the numbers that Node writes; 10 is Buffer.
const views = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array,
    Uint32Array, Float32Array, Float64Array, DataView, Buffer, BigInt64Array, BigUint64Array];
const BUFFER = 10;

class DefaultSerializer extends Serializer {
    constructor() {
        super();
        this._setTreatArrayBufferViewsAsHostObjects(true);
    }

    _writeHostObject(view) {
        const kind = view instanceof Buffer ? BUFFER
            : views.findIndex((Class) => Class.name === classOf(view));
        if (kind < 0)
            throw this._getDataCloneError(`Unserializable host object: ${
                require('util/inspect').inspect(view)}`);
        this.writeUint32(kind);
        this.writeUint32(view.byteLength);
        this.writeRawBytes(view);
    }
}

class DefaultDeserializer extends Deserializer {
    _readHostObject() {
        const Class = views[this.readUint32()];
        if (Class === undefined)
            throw new Error('Unable to deserialize cloned data.');
        const bytes = this.readRawBytes(this.readUint32());
        if (Class === Buffer)
            return Buffer.from(bytes);
        const width = Class.BYTES_PER_ELEMENT ?? 1;
        return new Class(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / width));
    }
}

function serialize(value) {
    const serializer = new DefaultSerializer();
    serializer.writeHeader();
    serializer.writeValue(value);
    return serializer.releaseBuffer();
}

function deserialize(buffer) {
    if (!ArrayBuffer.isView(buffer))
        throw require('core/errors').invalidArgType('buffer',
            'an instance of Buffer, TypedArray, or DataView', buffer);
    const deserializer = new DefaultDeserializer(buffer);
    deserializer.readHeader();
    return deserializer.readValue();
}

module.exports = { Serializer, Deserializer, DefaultSerializer, DefaultDeserializer, serialize,
    deserialize };
addFunctions(module.exports, 'v8', 'cachedDataVersionTag getHeapSnapshot getHeapStatistics ' +
    'getHeapSpaceStatistics getHeapCodeStatistics setFlagsFromString takeCoverage stopCoverage ' +
    'writeHeapSnapshot queryObjects setHeapSnapshotNearHeapLimit GCProfiler');
