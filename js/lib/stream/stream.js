// SPDX-License-Identifier: MIT
// stream -- Node's module: npm's readable-stream (js/bundle), and what Node 20
// has beyond it.
'use strict';

const { Stream } = require('bundle/readable-stream');
const { AbortError } = require('stream/errors');

const { promises, Stream: self, _isUint8Array, _uint8ArrayToBuffer } = Stream;

// The keys in Node's order.
function put(name, value) {
    delete Stream[name];
    Stream[name] = value;
}
put('duplexPair', function duplexPair(options) {
    return require('stream/duplexpair')(options);
});
for (const name of ['pipeline', 'addAbortSignal', 'finished', 'destroy', 'compose',
    'setDefaultHighWaterMark', 'getDefaultHighWaterMark'])
    put(name, Stream[name]);
delete Stream.promises;
Object.defineProperty(Stream, 'promises',
    { configurable: true, enumerable: true, get: () => promises });
put('Stream', self);
put('_isArrayBufferView', ArrayBuffer.isView);
put('_isUint8Array', _isUint8Array);
put('_uint8ArrayToBuffer', _uint8ArrayToBuffer);

// In Node a stream has places for these from the beginning, so they come first.
const first = ['close', 'error', 'prefinish', 'finish', 'drain', 'data', 'end', 'readable'];
Stream.prototype.eventNames = function eventNames() {
    const names = new Set(Reflect.ownKeys(this._events ?? {}));
    return [...first.filter((name) => names.delete(name)), ...names];
};

Stream.Writable.prototype[Symbol.asyncDispose] = function () {
    if (!this.destroyed)
        this.destroy(this.writableFinished ? null : new AbortError());
    return new Promise((resolve, reject) => Stream.finished(this,
        (error) => (error && error.name !== 'AbortError' ? reject(error) : resolve(null))));
};

module.exports = Stream;
