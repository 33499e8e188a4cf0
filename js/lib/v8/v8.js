// SPDX-License-Identifier: MIT
// v8 -- the part of Node's module that does not depend on V8: serialize,
// deserialize and their classes, and the heap's figures, which are those of the
// engine that weir has.
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

// ---- the heap ----

const heap = () => require('program/usage').heap();
let peak = 0; // of what a program has been shown

function getHeapStatistics() {
    const { total, used, buffers, limit } = heap();
    peak = Math.max(peak, total);
    return { total_heap_size: total, total_heap_size_executable: 0, total_physical_size: total,
        total_available_size: Math.max(0, limit - total), used_heap_size: used,
        heap_size_limit: limit, malloced_memory: total, peak_malloced_memory: peak,
        does_zap_garbage: 0, number_of_native_contexts: 1, number_of_detached_contexts: 0,
        total_global_handles_size: 0, used_global_handles_size: 0, external_memory: buffers };
}

// All that the engine allocates is one heap; the spaces are what it is used for.
function getHeapSpaceStatistics() {
    const { objects, strings, atoms, shapes, functions, bytecode, lines, buffers } = heap();
    return Object.entries({ object: objects, string: strings, atom: atoms, shape: shapes,
        code: functions + bytecode + lines, large_object: buffers }).map(([name, size]) => ({
        space_name: `${name}_space`, space_size: size, space_used_size: size,
        space_available_size: 0, physical_space_size: size }));
}

function getHeapCodeStatistics() {
    const { functions, bytecode, lines } = heap();
    return { code_and_metadata_size: functions, bytecode_and_metadata_size: bytecode + lines,
        external_script_source_size: 0, cpu_profiler_metadata_size: 0 };
}

module.exports = { Serializer, Deserializer, DefaultSerializer, DefaultDeserializer, serialize,
    deserialize, getHeapStatistics, getHeapSpaceStatistics, getHeapCodeStatistics };
addFunctions(module.exports, 'v8', 'cachedDataVersionTag getHeapSnapshot setFlagsFromString ' +
    'takeCoverage stopCoverage writeHeapSnapshot queryObjects setHeapSnapshotNearHeapLimit ' +
    'GCProfiler');
