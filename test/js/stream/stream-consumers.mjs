// stream/consumers.
import { arrayBuffer, blob, buffer, json, text } from 'node:stream/consumers';
import { Readable, PassThrough } from 'stream';
const bytes = (list, options) => Readable.from(list, { objectMode: false, ...options });
console.log(await text(bytes(['a', Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1), 'z'])));
console.log(await text(Readable.from([Buffer.from([0xe2, 0x82])])), (await text(Readable.from([Buffer.from([0xef, 0xbb, 0xbf, 65])]))).length);
console.log(await buffer(bytes(['ab', Buffer.from([1, 2])])), await arrayBuffer(bytes(['ab'])));
console.log(await json(bytes(['{"a":', '[1]}'])));
console.log(await text([]), await buffer([]), await text(['x', 'y']));
console.log(await buffer(Readable.from([new Uint8Array([1]), new ArrayBuffer(2), 'x', new Uint16Array([258])])));
const made = await blob(bytes(['ab', Buffer.from([99])]));
console.log(made.size, made.constructor.name, await made.text());
await json(bytes(['{'])).catch((error) => console.log(error.name));
await text(new Readable({ read() { this.destroy(new Error('read')); } })).catch((error) => console.log(error.message));
await text(Readable.from([5])).catch((error) => console.log(error.name, error.code));
await text(5).catch((error) => console.log(error.name));
const through = new PassThrough();
const all = buffer(through);
for (let i = 0; i < 100; i++)
    through.write(Buffer.alloc(1000, i));
through.end();
console.log((await all).length, (await all)[99999]);
