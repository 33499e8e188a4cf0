// SPDX-License-Identifier: MIT
// growable -- the growable SharedArrayBuffers of this host whose memory other
// hosts share: js/messages/growable.c.
'use strict';

const { prototype } = SharedArrayBuffer;
const { apply } = Reflect;
const { grow } = prototype;
const lengthOf = Object.getOwnPropertyDescriptor(prototype, 'byteLength').get;
const TypedArray = Object.getPrototypeOf(Uint8Array);

const FEW = 16;
const noted = new WeakSet();
let buffers = []; // WeakRefs
let room = FEW;

// Update its length to that of its memory; false if it was collected.
function update(reference) {
    const buffer = reference.deref();
    if (buffer === undefined)
        return false;
    const length = native.length(buffer);
    if (length > apply(lengthOf, buffer, []))
        apply(grow, buffer, [length]);
    return true;
}

function updateAll() {
    buffers = buffers.filter(update);
}

// ---- functions that read a length, or what another thread has done ----

function replace(object, name, key, doesGrow = false) {
    const found = Object.getOwnPropertyDescriptor(object, name);
    const value = native.synced(found[key], doesGrow);
    Object.defineProperty(value, 'name',
        { value: found[key].name, configurable: true });
    Reflect.defineProperty(object, name, { ...found, [key]: value });
}

let isInstalled = false;

function install() {
    isInstalled = true;
    replace(prototype, 'byteLength', 'get');
    replace(prototype, 'grow', 'value', true);
    replace(TypedArray.prototype, 'length', 'get');
    replace(TypedArray.prototype, 'byteLength', 'get');
    replace(DataView.prototype, 'byteLength', 'get');
    for (const name of ['load', 'exchange', 'compareExchange', 'add', 'sub', 'and',
        'or', 'xor', 'wait'])
        replace(Atomics, name, 'value');
}

function note(buffer) {
    if (!isInstalled)
        install();
    if (noted.has(buffer)) {
        native.length(buffer);
        return;
    }
    if (buffers.length >= room) {
        updateAll();
        room = 2 * buffers.length + FEW;
    }
    noted.add(buffer);
    const reference = new WeakRef(buffer);
    buffers.push(reference);
    update(reference);
}

module.exports = { note, updateAll };
