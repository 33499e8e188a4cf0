// Buffer: each read and write of numbers, inside and outside.
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
const y = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff]);
for (const m of ['readUInt8', 'readUint16LE', 'readUInt16BE', 'readUInt32LE', 'readUInt32BE', 'readInt8', 'readInt16LE', 'readInt16BE', 'readInt32LE', 'readInt32BE', 'readBigUInt64LE', 'readBigUint64BE', 'readBigInt64LE', 'readBigInt64BE', 'readFloatLE', 'readFloatBE', 'readDoubleLE', 'readDoubleBE']) {
t(() => [y[m](), y[m](1)]);
t(() => y[m](3));
t(() => y[m](9));
t(() => y[m](10));
t(() => y[m](-1));
t(() => y[m](1.5));
t(() => y[m]('1'));
t(() => y[m](null));
t(() => y[m](NaN)); }
for (const m of ['readUIntLE', 'readUIntBE', 'readIntLE', 'readIntBE']) for (const n of [1, 2, 3, 4, 5, 6]) {
t(() => [y[m](0, n), y[m](10 - n, n)]);
t(() => y[m](11 - n, n)); }
for (const m of ['readUIntLE', 'readIntBE']) for (const n of [0, 7, undefined, 'x', 1.5, null]) t(() => y[m](0, n));
t(() => y.readUIntLE(undefined, 3));
t(() => y.readUIntLE('x', 3));t(() => y.readIntBE(1.5, 3));
for (const [m, v] of [['writeUInt8', 255], ['writeUInt8', 256], ['writeUInt8', -1], ['writeUint16LE', 0x1234], ['writeUInt16BE', 65536], ['writeUInt32LE', 0xdeadbeef], ['writeUInt32BE', 2 ** 32], ['writeInt8', -128], ['writeInt8', 128], ['writeInt16LE', -2], ['writeInt16BE', 32768], ['writeInt32LE', -5], ['writeInt32BE', -(2 ** 31) - 1], ['writeBigUInt64LE', 5n], ['writeBigUint64BE', 2n ** 64n], ['writeBigInt64LE', -5n], ['writeBigInt64BE', 2n ** 63n], ['writeBigInt64BE', -(2n ** 63n)], ['writeFloatLE', 1.5], ['writeFloatBE', NaN], ['writeDoubleLE', -0], ['writeDoubleBE', 1e300], ['writeUInt8', 'x'], ['writeInt32LE', '5'], ['writeUInt16LE', undefined], ['writeUInt8', 3.7]]) {
t(() => { const z = Buffer.alloc(10); return [z[m](v), z[m](v, 2), z]; });
t(() => Buffer.alloc(10)[m](v, 10));
t(() => Buffer.alloc(10)[m](v, 1.5));
t(() => Buffer.alloc(10)[m](v, 'x')); }
for (const m of ['writeUIntLE', 'writeUIntBE', 'writeIntLE', 'writeIntBE']) for (const n of [1, 2, 3, 4, 5, 6]) {
t(() => { const z = Buffer.alloc(8); return [z[m](m.includes('U') ? 2 ** (8 * n) - 1 : -(2 ** (8 * n - 1)), 1, n), z]; });
t(() => Buffer.alloc(8)[m](2 ** (8 * n), 0, n));
t(() => Buffer.alloc(8)[m](-(2 ** (8 * n - 1)) - 1, 0, n));
t(() => Buffer.alloc(8)[m](1, 9 - n, n)); }
for (const n of [0, 7, undefined, 'x']) {
t(() => Buffer.alloc(8).writeUIntLE(1, 0, n));
t(() => Buffer.alloc(8).writeIntBE(1, 0, n)); }
// A BigInt, or something that becomes one; the place is looked at before it.
for (const m of ['writeBigUInt64LE', 'writeBigInt64BE']) for (const v of [undefined, null, 1, '1', true, {}, [7n], Object(5n), { valueOf: () => 6n }]) {
t(() => { const z = Buffer.alloc(8); return [z[m](v), z]; });
t(() => Buffer.alloc(8)[m](v, 1));
t(() => Buffer.alloc(8)[m](v, 'x')); }
for (const m of ['writeUInt8', 'writeInt16BE', 'writeFloatLE', 'writeDoubleBE'])
t(() => Buffer.alloc(8)[m](1n));
