// What the modules export, and what their classes have.
const stream = require('stream');
console.log(typeof stream, stream.name, stream === require('node:stream'), stream.Stream === stream);
console.log(Object.keys(stream));
console.log(Object.keys(require('stream/promises')), Object.keys(require('stream/consumers')));
console.log(stream.promises === require('node:stream/promises'));
for (const name of ['Readable', 'Writable', 'Duplex', 'Transform', 'PassThrough', 'Stream']) {
    const own = stream[name];
    console.log(name, own.name, own.length, Object.getPrototypeOf(own).name);
    console.log(Object.getOwnPropertyNames(own).sort().join(' '));
    console.log(Object.getOwnPropertyNames(own.prototype).sort().join(' '));
    console.log(Object.keys(own.prototype).sort().join(' '));
    console.log(Object.getOwnPropertySymbols(own.prototype).map((symbol) => String(symbol).replace(/nodejs\.(?=async)|Symbol\.(?=async)/, '')).sort().join(' '));
}
for (const name of Object.keys(stream).sort())
    console.log(name, typeof stream[name], stream[name]?.length, stream[name]?.name);
for (const key of Object.getOwnPropertyNames(stream.Readable.prototype).sort()) {
    const { value, get, set, enumerable } = Object.getOwnPropertyDescriptor(stream.Readable.prototype, key);
    console.log(key, typeof value, value?.length, value?.name, Boolean(get), Boolean(set), enumerable);
}
for (const key of Object.getOwnPropertyNames(stream.Writable.prototype).sort()) {
    const { value, get, set, enumerable } = Object.getOwnPropertyDescriptor(stream.Writable.prototype, key);
    console.log(key, typeof value, value?.length, value?.name, Boolean(get), Boolean(set), enumerable);
}
const { promisify } = require('util');
console.log(promisify(stream.pipeline) === stream.promises.pipeline, promisify(stream.finished) === stream.promises.finished);
