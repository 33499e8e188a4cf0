// Buffer and its encodings, at random: the sum of all results is Node's.
// (Haystacks are even: in odd ones Node 20 does not find that there is nothing.)
let seed = 3, sum = 0;
const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff, (seed >> 8) % n);
const add = (text) => {
    for (let i = 0; i < text.length; i++)
        sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
};
const encodings = ['utf8', 'utf16le', 'latin1', 'ascii', 'hex', 'base64', 'base64url'];
const alphabets = {
    utf8: 'aé€\ud83d\ude00\ufffdz', utf16le: 'aé€\ud83d\ude00', latin1: 'aé\xff€', ascii: 'aé\x80', hex: '0123456789abcdefABCDEF0123456789 g',
    base64: 'ABCDwxyz0189+/-_= \n!€', base64url: 'ABCDwxyz0189+/-_= \n!',
};
for (const encoding of encodings) {
    for (let round = 0; round < 1500; round++) {
        const bytes = Buffer.from(Array.from({ length: random(20) }, () => random(256)));
        const from = random(4), to = from + random(20);
        add(bytes.toString(encoding));
        add(bytes.toString(encoding, from, to));
        const text = Array.from({ length: random(16) }, () => alphabets[encoding][random(alphabets[encoding].length)]).join('');
        const made = Buffer.from(text, encoding);
        add(made.toString('latin1'));
        add(String(Buffer.byteLength(text, encoding)));
        const room = Buffer.alloc(random(12), 0x2e), offset = random(room.length + 1);
        add(`${room.write(text, offset, encoding)} ${room.write(text, offset, random(room.length - offset + 1), encoding)} ${room.toString('hex')}`);
        if (made.length > 0)
            add(Buffer.alloc(9, text, encoding).toString('hex'));
        const needle = Buffer.from(Array.from({ length: random(4) }, () => random(3))), hay = Buffer.from(Array.from({ length: 2 * random(15) }, () => random(3)));
        const at = random(40) - 20;
        add(`${hay.indexOf(needle, at, encoding)} ${hay.lastIndexOf(needle, at, encoding)} ${hay.indexOf(random(3), at)} ${hay.lastIndexOf(random(3), at)} ` +
            `${hay.includes(needle)} ${hay.lastIndexOf(needle)} ${hay.compare(needle)} ${hay.subarray(at, at + 5).toString('hex')}`);
        const target = Buffer.alloc(10);
        add(`${hay.copy(target, random(12), random(hay.length + 1), random(40))} ${target.toString('hex')}`);
    }
    console.log(encoding, sum);
}
