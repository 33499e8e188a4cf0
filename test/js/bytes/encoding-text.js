// TextEncoder and TextDecoder: labels, options, errors, streams, views.
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
const bytes = (...list) => new Uint8Array(list);
const codes = (text) => Array.from(text, (c) => c.codePointAt(0).toString(16)).join(' ');

for (const label of ['utf8', ' UTF-8\n', 'unicode-1-1-utf-8', 'x-unicode20utf8', 'ucs-2', 'utf-16', 'csunicode', 'unicodefffe', 'utf-16be',
    'latin1', 'ascii', 'iso-8859-1', 'cp1252', 'l1', 'us-ascii', '', 'foo', 'binary', 'utf-8\u00a0', null, undefined])
    t(() => `${label} ${new TextDecoder(label).encoding}`);
t(() => new TextDecoder('utf8', 5));
t(() => new TextDecoder('utf8', null));
t(() => new TextDecoder('utf-16le', { fatal: 1, ignoreBOM: 'x' }));
t(() => new TextDecoder('utf-8', { get fatal() { throw new Error('getter'); } }));
t(() => new TextEncoder());
t(() => [new TextEncoder(), [[[new TextDecoder()]]]]);
for (const value of ['x', null, {}, 5, []])
    t(() => new TextDecoder().decode(value));
t(() => new TextDecoder().decode(bytes(65), 5));
t(() => TextDecoder.prototype.decode.call({}));
t(() => TextEncoder.prototype.encode.call({}));
t(() => Object.getOwnPropertyDescriptor(TextDecoder.prototype, 'fatal').get.call(new TextEncoder()));
t(() => [TextDecoder.length, TextDecoder.prototype.decode.length, TextEncoder.prototype.encode.length, TextEncoder.prototype.encodeInto.length]);
t(() => [Object.keys(TextDecoder.prototype), Object.keys(TextEncoder.prototype)]);
t(() => `${new TextDecoder()} ${new TextEncoder()}`);

console.log('--- encode');
t(() => new TextEncoder().encode());
t(() => new TextEncoder().encode(null));
t(() => new TextEncoder().encode('aé€😀\ud800x\udc00'));
for (const room of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16]) {
    const into = new Uint8Array(room);
    t(() => [new TextEncoder().encodeInto('aé€😀\ud800', into), into]);
}
t(() => new TextEncoder().encodeInto('abc', []));
t(() => new TextEncoder().encodeInto(5, new Uint8Array(2)));
t(() => new TextEncoder().encodeInto('abc', new Uint8Array(8).subarray(2, 4)));

console.log('--- decode');
const broken = bytes(0xf0, 0x90, 0x80, 0xe2, 0x82, 0x41, 0xed, 0xa0, 0x80, 0xc0, 0x80, 0xf5, 0xf4, 0x90, 0x42, 0xe0, 0x9f, 0xff);
t(() => codes(new TextDecoder().decode(broken)));
t(() => new TextDecoder('utf-8', { fatal: true }).decode(broken));
t(() => codes(new TextDecoder('latin1').decode(bytes(0x41, 0x7f, 0xa0, 0xff))));
t(() => codes(new TextDecoder('utf-16le').decode(bytes(0, 0xd8, 65, 0, 66))));
t(() => codes(new TextDecoder('utf-16le').decode(bytes(0, 0xd8, 65))));
t(() => codes(new TextDecoder('utf-16be').decode(bytes(0xd8, 0, 0xdc, 1, 0xdc, 0, 0, 65, 66))));
t(() => new TextDecoder('utf-16le', { fatal: true }).decode(bytes(0, 0xdc)));
t(() => new TextDecoder('utf-16le', { fatal: true }).decode(bytes(65)));
for (const ignoreBOM of [false, true])
    for (const [label, list] of [['utf-8', [0xef, 0xbb, 0xbf, 65]], ['utf-16le', [0xff, 0xfe, 65, 0]], ['utf-16be', [0xfe, 0xff, 0, 65]]]) {
        const decoder = new TextDecoder(label, { ignoreBOM });
        t(() => codes(decoder.decode(bytes(...list, ...list))));
        t(() => [...list, ...list].map((byte) => codes(decoder.decode(bytes(byte), { stream: true }))).concat(codes(decoder.decode())));
    }

console.log('--- streams');
const whole = new TextEncoder().encode('aé€😀\u{10ffff}z');
for (const size of [1, 2, 3, 4, 5]) {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const out = [];
    for (let i = 0; i < whole.length; i += size)
        out.push(decoder.decode(whole.subarray(i, i + size), { stream: true }));
    out.push(decoder.decode());
    t(() => out.join('|'));
}
const decoder = new TextDecoder();
t(() => codes(decoder.decode(bytes(0xf0, 0x9f), { stream: true })));
t(() => codes(decoder.decode()));
t(() => codes(decoder.decode(bytes(0xe2, 0x82), { stream: true })));
t(() => codes(decoder.decode(bytes(65), { stream: true })));
t(() => codes(decoder.decode(bytes(0x80))));

console.log('--- views');
const buffer = whole.buffer;
t(() => new TextDecoder().decode(buffer));
t(() => new TextDecoder().decode(new DataView(buffer, 1, 2)));
t(() => new TextDecoder().decode(new Uint8Array(buffer, 1, 2)));
t(() => new TextDecoder('utf-16le').decode(new Uint16Array([97, 8364, 0xd83d, 0xde00])));
const shared = new SharedArrayBuffer(whole.length);
new Uint8Array(shared).set(whole);
t(() => new TextDecoder().decode(shared) + new TextDecoder().decode(new Uint8Array(shared, 3, 3)));
const growing = new ArrayBuffer(2, { maxByteLength: 8 });
const follower = new Uint8Array(growing);
growing.resize(4);
follower.fill(66);
t(() => new TextDecoder().decode(follower));
t(() => new TextEncoder().encodeInto('xyzw', follower));
const gone = new ArrayBuffer(8), view = new Uint8Array(gone);
structuredClone(gone, { transfer: [gone] });
t(() => JSON.stringify(new TextDecoder().decode(gone) + new TextDecoder().decode(view)));
t(() => new TextEncoder().encodeInto('abc', view));

console.log('--- at random');
const random = new (require('../support/random.cjs').Random)(7);
const edges = [0, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0xd8, 0xdc];
let sum = 0, failures = 0;
const add = (text) => {
    for (let i = 0; i < text.length; i++)
        sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
};
for (let round = 0; round < 3000; round++) {
    const data = Uint8Array.from({ length: random.draw('length', 24) }, () => random.happens('any byte', 4) ? random.below(256) : random.choose('edge', edges));
    for (const label of ['utf-8', 'utf-16le', 'utf-16be']) {
        add(new TextDecoder(label).decode(data));
        try {
            add(new TextDecoder(label, { fatal: true }).decode(data));
        } catch {
            failures++;
        }
        const streamed = new TextDecoder(label);
        for (let at = 0; at < data.length;) {
            const next = at + 1 + random.draw('piece', 5);
            add(streamed.decode(data.subarray(at, next), { stream: true }) + '|');
            at = next;
        }
        add(streamed.decode());
    }
    const text = String.fromCharCode(...Array.from({ length: random.below(12) }, () => random.choose('letter', [0x41, 0xe9, 0x20ac, 0xd83d, 0xde00, 0xfeff])));
    add(String(new TextEncoder().encode(text)));
    const into = new Uint8Array(random.draw('room', 20));
    const { read, written } = new TextEncoder().encodeInto(text, into);
    add(`${read} ${written} ${into}`);
}
console.log(sum, failures);

// long: address
