// The undocumented methods of one encoding, which packages such as busboy call.
'use strict';
const show = (f) => {
    try {
        console.log(f());
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
};
const encodings = ['ascii', 'base64', 'base64url', 'latin1', 'hex', 'ucs2', 'utf8'];
for (const encoding of encodings) {
    const buffer = Buffer.from('h\xe9llo w\u00f6rld\u20ac');
    for (const args of [[], [1], [1, 3], [3, 1], [-1], [0, 100], ['a'], [1.7, 3.2], [null, 2], [15]])
        show(() => buffer[`${encoding}Slice`](...args));
    for (const args of [['6162'], ['6162', 1], ['6162', 1, 1], ['6162', 99], ['6162', -1], ['zz', 0], [5], [],
        ['6162', 0, 99], ['6162', 0, -1]])
        show(() => {
            const target = Buffer.alloc(6);
            return [target[`${encoding}Write`](...args), target.toString('hex')];
        });
}
show(() => Buffer.prototype.latin1Slice.call({}, 1, 2));
show(() => Buffer.prototype.utf8Write.call({}, 'x'));
show(() => Buffer.prototype.utf8Slice.call(new Uint8Array([65, 66, 67]), 1));
show(() => encodings.map((encoding) => Buffer.prototype[`${encoding}Slice`].length));
