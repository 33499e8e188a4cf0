// What packages such as pngjs do: they call the engine of a stream, and read from the
// stream how much is left.
const zlib = require('node:zlib');

const data = Buffer.from('some text to be compressed, some text again. '.repeat(50));
for (const [make, input] of [[zlib.createDeflate, data],
    [zlib.createInflate, zlib.deflateSync(data)], [zlib.createGunzip, zlib.gzipSync(data)]]) {
    const stream = make({ chunkSize: 64 });
    console.log(stream._outBuffer.length, stream._outOffset, stream._writeState,
        stream._outBuffer === stream._outBuffer);
    const parts = [];
    let at = 0, left = input.length;
    do {
        const out = Buffer.alloc(64);
        stream._handle.writeSync(zlib.constants.Z_FINISH, input, at, left, out, 4, 60);
        const [room, rest] = stream._writeState;
        parts.push(out.subarray(4, 64 - room));
        at += left - rest;
        left = rest;
    } while (stream._writeState[0] === 0);
    const all = Buffer.concat(parts);
    console.log(parts.length > 1, left, stream.bytesWritten,
        (make === zlib.createDeflate ? zlib.inflateSync(all) : all).equals(data));
    stream.close();
}

const bad = zlib.createInflate();
bad.on('error', ({ code, errno, message }) => console.log(code, errno, message));
bad._handle.writeSync(zlib.constants.Z_FINISH, Buffer.from('nonsense'), 0, 8, bad._outBuffer, 0,
    100);
console.log(bad._handle, bad.destroyed);
