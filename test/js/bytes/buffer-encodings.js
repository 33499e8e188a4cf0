// Buffer and its encodings, at random: the sum of all results is Node's.
// (Haystacks are even: in odd ones Node 20 does not find that there is nothing.)
const random = new (require('../support/random.cjs').Random)(3);
let sum = 0;
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
        const bytes = Buffer.from(Array.from({ length: random.draw('length', 20) }, () => random.draw('byte', 256)));
        const from = random.below(4), to = from + random.below(20);
        add(bytes.toString(encoding));
        add(bytes.toString(encoding, from, to));
        const text = Array.from({ length: random.below(16) }, () => random.choose(`letter of ${encoding}`, alphabets[encoding].split(''))).join('');
        const made = Buffer.from(text, encoding);
        add(made.toString('latin1'));
        add(String(Buffer.byteLength(text, encoding)));
        const room = Buffer.alloc(random.below(12), 0x2e), offset = random.below(room.length + 1);
        add(`${room.write(text, offset, encoding)} ${room.write(text, offset, random.below(room.length - offset + 1), encoding)} ${room.toString('hex')}`);
        if (made.length > 0)
            add(Buffer.alloc(9, text, encoding).toString('hex'));
        const needle = Buffer.from(Array.from({ length: random.below(4) }, () => random.below(3))), hay = Buffer.from(Array.from({ length: 2 * random.below(15) }, () => random.below(3)));
        const at = random.below(40) - 20;
        add(`${hay.indexOf(needle, at, encoding)} ${hay.lastIndexOf(needle, at, encoding)} ${hay.indexOf(random.below(3), at)} ${hay.lastIndexOf(random.below(3), at)} ` +
            `${hay.includes(needle)} ${hay.lastIndexOf(needle)} ${hay.compare(needle)} ${hay.subarray(at, at + 5).toString('hex')}`);
        const target = Buffer.alloc(10);
        add(`${hay.copy(target, random.below(12), random.below(hay.length + 1), random.below(40))} ${target.toString('hex')}`);
    }
    console.log(encoding, sum);
}

// long: address
