// buffer.transcode between all pairs of its encodings, and SlowBuffer.
const { Buffer, SlowBuffer, transcode } = require('node:buffer');

const show = (run) => {
    try {
        console.log(run());
    } catch ({ name, code, errno, message }) {
        console.log(name, code, errno, message);
    }
};

const names = ['utf8', 'UTF-8', 'ucs2', 'utf16le', 'latin1', 'binary', 'ascii'];
const texts = ['', 'plain', 'é ÿ', '€ Ā', 'a😀b'];
for (const from of names)
    for (const to of names)
        console.log(from, to, texts.map((text) =>
            transcode(Buffer.from(text, from), from, to).toString('hex')).join(' '));
console.log(transcode(Buffer.from([0x61, 0xe9, 0xff]), 'ascii', 'utf8'));
console.log(transcode(Buffer.from([0x61, 0xe9, 0xff]), 'utf8', 'latin1'));
console.log(transcode(Buffer.from([0x61, 0xe9, 0xff]), 'utf8', 'utf8'));
console.log(transcode(Buffer.from([0x61, 0, 0x3d, 0xd8]), 'ucs2', 'latin1'));
show(() => transcode(Buffer.from([0x61, 0xe9, 0xff]), 'utf8', 'ucs2'));
show(() => transcode(Buffer.from([0x61, 0, 0x3d, 0xd8]), 'ucs2', 'utf8'));
console.log(transcode(Buffer.from([0x61, 0, 0x62]), 'ucs2', 'latin1'));
console.log(transcode(new Uint8Array([0xe2, 0x82, 0xac]), 'utf8', 'ascii'));
for (const args of [['x', 'utf8', 'ascii'], [null], [Buffer.from('a'), 'b', 'utf8'],
    [Buffer.from('a'), 'utf8', 'hex'], [Buffer.from('a'), 'base64', 'utf8'], [Buffer.alloc(0), 'b'],
    [Buffer.from('a'), undefined, 'ascii']])
    show(() => transcode(...args));

show(() => new SlowBuffer(4).length);
show(() => SlowBuffer(4).fill(0));
for (const size of ['4', undefined])
    show(() => SlowBuffer(size).length);
console.log(SlowBuffer(2) instanceof Buffer, SlowBuffer(2) instanceof SlowBuffer);
