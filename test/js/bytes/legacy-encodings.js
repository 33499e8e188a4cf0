// weir only: Node 20 lacks three of them, and its ICU deviates from the standard
// TextDecoder of each legacy encoding (Encoding Standard, 9 to 14): all bytes, all
// pairs of bytes, and random bytes, whole, in pieces and with `fatal`, as checksums.
// Chromium 156 prints the same, except for Big5, EUC-JP and ISO-2022-JP.  The lines
// at the end show where it deviates from the standard.
// long: address
'use strict';

const names = ['ibm866', 'iso-8859-2', 'iso-8859-3', 'iso-8859-4', 'iso-8859-5', 'iso-8859-6',
    'iso-8859-7', 'iso-8859-8', 'iso-8859-8-i', 'iso-8859-10', 'iso-8859-13', 'iso-8859-14',
    'iso-8859-15', 'iso-8859-16', 'koi8-r', 'koi8-u', 'macintosh', 'windows-874', 'windows-1250',
    'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254', 'windows-1255',
    'windows-1256', 'windows-1257', 'windows-1258', 'x-mac-cyrillic', 'x-user-defined', 'gbk',
    'gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr'];

let seed = 7; // the checksums are of these very bytes
const random = (limit) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 2 ** 32 * limit);
};
const pick = (list) => list[random(list.length)];
const kinds = [() => random(128), () => 0x1b, () => pick([0x24, 0x28, 0x42, 0x4a, 0x49, 0x40]),
    () => 0x8e + random(2), () => 0x30 + random(10), () => 0x80 + random(128)];
const sample = () => Uint8Array.from({ length: random(24) }, () => pick(kinds)());

class Checksum {
    value = 1;
    add(text) {
        for (let i = 0; i < text.length; i++)
            this.value = Math.imul(this.value ^ text.charCodeAt(i), 16777619) >>> 0;
    }
}

function inPieces(decoder, bytes) {
    let text = '';
    for (let i = 0; i < bytes.length;) {
        const end = i + 1 + random(3);
        text += decoder.decode(bytes.subarray(i, end), { stream: true });
        i = end;
    }
    return text + decoder.decode();
}

function strictly(name, bytes) {
    try {
        return new TextDecoder(name, { fatal: true }).decode(bytes);
    } catch (error) {
        return error.name;
    }
}

// Each byte, and each pair that begins with one above 0x7f, in a line of its own.
const every = [];
for (let first = 0; first < 256; first++)
    every.push(first, 10);
for (let first = 0x80; first < 256; first++)
    for (let second = 0x20; second < 256; second++)
        every.push(first, second, 10);

for (const name of names) {
    const decoder = new TextDecoder(name), sums = [0, 0, 0, 0].map(() => new Checksum());
    sums[0].add(decoder.decode(Uint8Array.from(every)));
    for (let i = 0; i < 100; i++) {
        const bytes = sample();
        sums[1].add(`${decoder.decode(bytes)}|`);
        sums[2].add(`${strictly(name, bytes)}|`);
        sums[3].add(`${inPieces(decoder, bytes)}|`);
    }
    console.log(decoder.encoding, sums.map(({ value }) => value.toString(16)).join(' '));
}

const points = (name, ...bytes) => [...new TextDecoder(name).decode(Uint8Array.from(bytes))]
    .map((char) => char.codePointAt(0).toString(16)).join(' ');
// 12.1.1: pointers 1133, 1135, 1164 and 1166 stand for two code points
console.log(points('big5', 0x88, 0x62, 0x88, 0x64, 0x88, 0xa3, 0x88, 0xa5));
// 13.1.1: an error ends the three-byte form
console.log(points('euc-jp', 0x8f, 0xa9, 0x8f, 0xd2, 0xb8));
// 13.2.1: the bytes after a broken escape are read again
console.log(points('iso-2022-jp', 0x1b, 0x28, 0xcc, 0x41));

console.log(['Latin2', ' csISO2022JP\n', 'x-sjis', 'ks_c_5601-1987', 'chinese', 'big5-hkscs',
    'logical', 'visual', 'ISO_8859-9:1989', 'cp866', 'x-mac-ukrainian']
    .map((label) => new TextDecoder(label).encoding).join());
for (const label of ['replacement', 'iso-2022-kr', 'x-unknown', '__proto__', 'constructor'])
    try {
        console.log(new TextDecoder(label));
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
const strict = new TextDecoder('gbk', { fatal: true });
for (const bytes of [[0xc4], [0xc4, 0xe3], [0xff], [0xc4, 0xe3]])
    try {
        console.log(strict.decode(Uint8Array.from(bytes)));
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
const shared = new Uint8Array(new SharedArrayBuffer(2));
shared.set([0xc4, 0xe3]);
console.log(new TextDecoder('gbk').decode(shared), new TextDecoder('gbk').decode(shared.buffer),
    new TextDecoder('gbk').decode(new DataView(shared.buffer)),
    new TextDecoder('gbk', { ignoreBOM: true }).ignoreBOM);
new Response(new Blob([shared])).body.pipeThrough(new TextDecoderStream('gbk'))
    .pipeTo(new WritableStream({ write: (text) => console.log(text) }));
