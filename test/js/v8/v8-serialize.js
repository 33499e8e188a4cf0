'use strict';
// serialize and deserialize: the bytes are V8's, and what is not is refused.
const v8 = require('v8');
const { isDeepStrictEqual, inspect } = require('util');

const shared = { s: 1 }, cycle = { list: [] };
cycle.self = cycle;
cycle.list.push(cycle, shared, shared);
const values = [undefined, null, true, false, 0, -0, 1, -1, 63, 64, 2 ** 30, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 1.5, NaN, Infinity, 1e300,
    0n, 1n, -1n, 123456789012345678901234567890n, -(2n ** 64n), '', 'text', 'é', '€uro', '😀 odd', 'x€', 'x'.repeat(200), '€'.repeat(100),
    [], [1, 2, 'three'], [1, , 3], [, ,], Object.assign([1], { extra: 2 }), Array(5), {}, { a: 1, b: { c: [] } }, { 5: 'five', a: 1, '-1': 2, 4294967295: 3 },
    new Date(5), new Date(NaN), /a/, /a\/b/gimsuy, /x/d, new Map([[1, 'one'], ['m', new Map()]]), new Set([1, 'two', {}]),
    Object(true), Object(false), Object(5), Object('str'), Object(7n), new ArrayBuffer(3), new Uint8Array([1, 2, 3]), new Int16Array([-1, 2]),
    new Float64Array([1.5]), new BigInt64Array([-5n]), new BigUint64Array(1), new DataView(new ArrayBuffer(4), 1, 2), new Uint8ClampedArray(2),
    Buffer.from('buffer'), new Uint8Array(new ArrayBuffer(8), 2, 3), [shared, shared], cycle, { u: undefined, n: null }];
for (const value of values) {
    const bytes = v8.serialize(value), back = v8.deserialize(bytes);
    console.log(bytes.toString('hex'), isDeepStrictEqual(back, value) || inspect(back) === inspect(value));
}
for (const error of [new Error('plain'), new RangeError('range'), new TypeError(), new Error('with', { cause: { a: 1 } })]) {
    const back = v8.deserialize(v8.serialize(error));
    console.log(back.constructor.name, back.message, back.cause, back.stack === error.stack, Object.keys(back));
}

// The parts
const writer = new v8.Serializer();
writer.writeHeader();
writer.writeUint32(5);
writer.writeUint32(2 ** 32 - 1);
writer.writeUint64(1, 2);
writer.writeUint64(2 ** 32 - 1, 2 ** 32 - 1);
writer.writeDouble(1.5);
writer.writeRawBytes(Buffer.from('raw'));
console.log(writer.writeValue({ view: new Uint16Array([1, 2]) }));
writer.transferArrayBuffer(7, values[55] instanceof ArrayBuffer ? values[55] : new ArrayBuffer(1));
const bytes = writer.releaseBuffer();
console.log(bytes.toString('hex'), writer.releaseBuffer().length);
const reader = new v8.Deserializer(bytes);
console.log(reader.readHeader(), reader.getWireFormatVersion(), reader.readUint32(), reader.readUint32(), reader.readUint64(), reader.readUint64(),
    reader.readDouble(), String(reader.readRawBytes(3)), reader.readValue());
const moved = new ArrayBuffer(2), sender = new v8.Serializer();
sender.writeHeader();
sender.transferArrayBuffer(3, moved);
sender.writeValue([moved, moved]);
const receiver = new v8.Deserializer(sender.releaseBuffer());
receiver.readHeader();
receiver.transferArrayBuffer(3, moved);
const got = receiver.readValue();
console.log(got[0] === moved, got[1] === moved);
class Own extends v8.DefaultSerializer {
    _getDataCloneError(text) { return new RangeError(`own: ${text}`); }
}
for (const value of [() => {}, Symbol('s'), { f() {} }, new WeakMap(), [Symbol.iterator]])
    for (const Class of [v8.DefaultSerializer, Own])
        try {
            new Class().writeValue(value);
            console.log('accepted');
        } catch (error) {
            console.log(error.name, error.message.split('\n')[0].slice(0, 60).replace(/^.*could/, 'could'));
        }
for (const value of [5, 'text', null, undefined, {}])
    for (const run of [(x) => v8.deserialize(x), (x) => new v8.Deserializer(x)])
        try {
            run(value);
            console.log('accepted');
        } catch (error) {
            console.log(error.name, error.code);
        }
for (const hex of ['', '00', 'ff', 'ff0f', 'ffff', 'ff0fff', 'ff0f6f', 'ff0f6f4902', 'ff0f5e05', 'ff0f22ff', 'ff0f41ffffffff0f', 'ff0f5aff', 'ff0f7b', 'ff0f6f7b05', 'ff0f5222015b0f'])
    try {
        console.log(hex, v8.deserialize(Buffer.from(hex, 'hex')));
    } catch (error) {
        console.log(hex, error.constructor.name);
    }
