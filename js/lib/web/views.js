// SPDX-License-Identifier: MIT
// views -- the buffers behind views, by the engine's own getters: a program may
// have hidden them in an object.
'use strict';

const { classOf } = require('util/kinds');

const { apply } = Reflect;
const getterOf = (proto, key) => Object.getOwnPropertyDescriptor(proto, key).get;
const typed = Object.getPrototypeOf(Uint8Array.prototype);
const [ofTyped, ofDataView] = [typed, DataView.prototype].map((proto) =>
    ['buffer', 'byteOffset', 'byteLength'].map((key) => getterOf(proto, key)));
const typedLength = getterOf(typed, 'length');
const detached = getterOf(ArrayBuffer.prototype, 'detached');
const bufferLength = getterOf(ArrayBuffer.prototype, 'byteLength');
const { transfer: transferBuffer } = ArrayBuffer.prototype;
const { set, subarray } = typed;
const ctors = Object.fromEntries(['Int8Array', 'Uint8Array', 'Uint8ClampedArray',
    'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float16Array',
    'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'DataView']
    .map((name) => [name, globalThis[name]]));

// The parts of a typed array or DataView.
function partsOf(view) {
    const kind = classOf(view), getters = kind === 'DataView' ? ofDataView : ofTyped;
    const View = ctors[kind], elementSize = View.BYTES_PER_ELEMENT ?? 1;
    return { buffer: apply(getters[0], view, []), offset: apply(getters[1], view, []),
        length: apply(getters[2], view, []), elementSize, View };
}

const isView = ArrayBuffer.isView;
const isShared = (buffer) => classOf(buffer) === 'SharedArrayBuffer';
const isDetached = (buffer) => !isShared(buffer) && apply(detached, buffer, []);
const lengthOf = (buffer) => isShared(buffer) ? buffer.byteLength
    : apply(bufferLength, buffer, []);

// Throws if it is shared or detached.
function transfer(buffer) {
    return apply(transferBuffer, buffer, []);
}

function copy(to, at, from, offset, count) {
    apply(set, new Uint8Array(to, at, count), [new Uint8Array(from, offset, count)]);
}

// A Uint8Array of the same bytes.
function toUint8Array(view) {
    const { buffer, offset, length } = partsOf(view);
    return new Uint8Array(buffer, offset, length);
}

// A copy, whatever the view's class.
function copyOf(view) {
    const { buffer, offset, length } = partsOf(view), bytes = new Uint8Array(length);
    copy(bytes.buffer, 0, buffer, offset, length);
    return bytes;
}

function concat(chunks, total) {
    const all = new Uint8Array(total);
    let at = 0;
    for (const chunk of chunks) {
        apply(set, all, [chunk, at]);
        at += apply(typedLength, chunk, []);
    }
    return all;
}

module.exports = { concat, copy, copyOf, isDetached, isShared, isView, lengthOf, partsOf,
    subarray, toUint8Array, transfer };
