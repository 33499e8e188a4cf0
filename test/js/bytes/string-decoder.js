// StringDecoder: whole and broken characters, cut everywhere.
const { StringDecoder } = require('string_decoder');
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
for (const name of [undefined, null, '', 'UTF8', 'ucs-2', 'binary', 'ascii', 'base64url', 'hex', 'foo', 5])
    t(() => new StringDecoder(name).encoding);
t(() => new StringDecoder().write(5));
t(() => new StringDecoder().write({}));
t(() => new StringDecoder().write());
t(() => new StringDecoder().write('text'));
t(() => new StringDecoder().write(new DataView(new ArrayBuffer(2))).length);
t(() => {
    const decoder = new StringDecoder('utf8');
    decoder.write(Buffer.from([0xe2, 0x82]));
    return [decoder.lastNeed, decoder.lastTotal, decoder.lastChar.subarray(0, 2)];
});
const random = new (require('../support/random.cjs').Random)(5);
let sum = 0;
const edges = [0x41, 0x80, 0x9f, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xff, 0xd8, 0xdc, 0];
for (const encoding of ['utf8', 'utf16le', 'base64', 'base64url', 'hex', 'latin1', 'ascii']) {
    const whole = Buffer.from('aé€😀z\u{10ffff}');
    for (const size of [1, 2, 3, 5]) {
        const decoder = new StringDecoder(encoding), out = [];
        for (let i = 0; i < whole.length; i += size)
            out.push(decoder.write(whole.subarray(i, i + size)));
        out.push(decoder.end());
        console.log(encoding, JSON.stringify(out.join('|')));
    }
    for (let round = 0; round < 2000; round++) {
        const decoder = new StringDecoder(encoding);
        let out = '';
        for (let n = random.draw('writes', 6); n > 0; n--)
            out += `${decoder.write(Buffer.from(Array.from({ length: random.draw('length', 6) }, () => random.choose('byte', edges))))}|`;
        out += decoder.end(random.happens('end with a byte', 2) ? Buffer.from([random.choose('byte', edges)]) : undefined);
        for (let i = 0; i < out.length; i++)
            sum = (Math.imul(sum, 31) + out.charCodeAt(i)) | 0;
    }
    console.log(encoding, sum);
}
for (const encoding of ['nope', {}, [], 1n, { a: 1 }, true, () => {}])
    t(() => new StringDecoder(encoding));

// long: address
