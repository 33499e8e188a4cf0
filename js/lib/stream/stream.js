// SPDX-License-Identifier: MIT
// stream -- Node's module: npm's readable-stream (js/bundle), and what Node 20
// has beyond it.
'use strict';

const parts = require('bundle/readable-stream');
const { AbortError, codes } = require('stream/errors');
const hooks = require('core/hooks');
const { legacy: { Stream }, readable: Readable, writable: Writable, utils } = parts;
const finished = parts['end-of-stream'];
const { setDefaultHighWaterMark, getDefaultHighWaterMark } = parts.state;

// What is loaded when it is first used.
const more = () => require('bundle/stream-more');

function pipeline(...streams) {
    return more().pipeline.pipeline(...streams);
}

Object.assign(Stream, {
    isDestroyed: utils.isDestroyed, isDisturbed: utils.isDisturbed,
    isErrored: utils.isErrored, isReadable: utils.isReadable, isWritable: utils.isWritable,
    Readable, Writable, Duplex: parts.duplex, Transform: parts.transform,
    PassThrough: parts.passthrough,
    duplexPair: function duplexPair(options) {
        return require('stream/duplexpair')(options);
    },
    pipeline, addAbortSignal: parts['add-abort-signal'].addAbortSignal, finished,
    destroy: parts.destroy.destroyer,
    compose: function compose(...streams) { return more().compose(...streams); },
    setDefaultHighWaterMark, getDefaultHighWaterMark,
});
Object.defineProperty(Stream, 'promises',
    { configurable: true, enumerable: true, get: () => more().promises });
Object.assign(Stream, {
    Stream, _isArrayBufferView: ArrayBuffer.isView,
    _isUint8Array: function isUint8Array(value) { return value instanceof Uint8Array; },
    _uint8ArrayToBuffer: function _uint8ArrayToBuffer(chunk) {
        return require('bytes/buffer').Buffer.from(chunk.buffer, chunk.byteOffset,
            chunk.byteLength);
    },
});
for (const fn of [pipeline, finished])
    Object.defineProperty(fn, Symbol.for('nodejs.util.promisify.custom'),
        { enumerable: true, get: () => more().promises[fn === pipeline ? 'pipeline' : 'finished'] });

// ---- the operators of Readable ----

// The numbers are the lengths of the functions.
const toStreams = { asIndexedPairs: 0, drop: 1, filter: 2, flatMap: 2, map: 2, take: 1,
    compose: 2 };
const toPromises = { every: 1, forEach: 2, reduce: 3, toArray: 1, some: 1, find: 2 };

function operator(name, length, call) {
    const fn = function (...args) {
        if (new.target)
            throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
        return call(this, args);
    };
    Object.defineProperty(fn, 'name',
        { value: name === 'asIndexedPairs' ? 'deprecated' : name, configurable: true });
    Object.defineProperty(fn, 'length', { value: length, configurable: true });
    Object.defineProperty(Readable.prototype, name,
        { value: fn, writable: true, configurable: true });
}
for (const name of Object.keys(toStreams))
    operator(name, toStreams[name], (self, args) => Readable.from(Reflect.apply(
        more().operators.streamReturningOperators[name], self, args)));
for (const name of Object.keys(toPromises))
    operator(name, toPromises[name], (self, args) => Reflect.apply(
        more().operators.promiseReturningOperators[name], self, args));

// ---- what is new in Node 20 ----

// In Node a stream has places for these from the beginning, so they come first.
const first = ['close', 'error', 'prefinish', 'finish', 'drain', 'data', 'end', 'readable'];
Stream.prototype.eventNames = function eventNames() {
    const names = new Set(Reflect.ownKeys(this._events ?? {}));
    return [...first.filter((name) => names.delete(name)), ...names];
};

Writable.prototype[Symbol.asyncDispose] = function () {
    if (!this.destroyed)
        this.destroy(this.writableFinished ? null : new AbortError());
    return new Promise((resolve, reject) => finished(this,
        (error) => (error && error.name !== 'AbortError' ? reject(error) : resolve(null))));
};

// The streams of fs exist before this file is loaded, as functions.
hooks.inheritStreams = () => {
    for (const [name, parent] of [['ReadStream', Readable], ['WriteStream', Writable]]) {
        const own = hooks.fileStreams?.[name];
        if (own === undefined)
            continue;
        Object.setPrototypeOf(own, parent);
        Object.setPrototypeOf(own.prototype, parent.prototype);
    }
};
hooks.inheritStreams();

module.exports = Stream;
