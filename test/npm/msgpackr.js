'use strict';
const { Packr, PackrStream, Unpackr, UnpackrStream, addExtension, decode, encode, pack, unpack } =
    require('msgpackr');

const value = { text: 'grüße', list: [1, -1, 1.5, 2 ** 40, true, null, undefined], date: new Date(5),
    bytes: Buffer.from([1, 2, 3]), big: 12345678901234567890n, map: new Map([['a', 1]]),
    set: new Set([1]), long: 'x'.repeat(300), nested: { a: { b: {} } } };
const bytes = pack(value);
console.log(bytes.length, bytes.subarray(0, 24).toString('hex'));
console.log(unpack(bytes));
const packr = new Packr({ useRecords: true, structuredClone: true });
const circular = { name: 'me', error: new TypeError('no'), typed: new Uint16Array([1, 2]) };
circular.self = circular;
const back = packr.unpack(packr.pack(circular));
console.log(back.self === back, back.error.name, back.error.message, back.typed);
const shared = new Packr({ structures: [] });
const rows = Array.from({ length: 5 }, (none, id) => ({ id, name: `row ${id}`, even: id % 2 === 0 }));
console.log(shared.pack(rows).toString('hex'), shared.unpack(shared.pack(rows))[4]);
class Point {
    constructor(x, y) {
        Object.assign(this, { x, y });
    }
}
addExtension({ Class: Point, type: 11, pack: ({ x, y }) => pack([x, y]),
    unpack: (part) => new Point(...unpack(part)) });
console.log(unpack(pack({ at: new Point(1, 2) })), decode(encode([1])));
const [to, from] = [new PackrStream(), new UnpackrStream()];
to.pipe(from).on('data', (data) => console.log('streamed', data)).on('end', () =>
    console.log('ended'));
to.write({ a: 1 });
to.write('text');
to.end([1, 2]);
try {
    new Unpackr().unpack(bytes.subarray(0, 50));
} catch (error) {
    console.log(error.message);
}
