// Buffers and encodings: of content, of names, of what is written.
const fs = require('fs'), dir = fs.mkdtempSync('/tmp/weir-fs-'), name = `${dir}/f\u00e9`;
process.on('exit', () => fs.rmSync(dir, { recursive: true }));
const encodings = ['utf8', 'utf-8', 'UTF8', 'hex', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'utf16le', 'ucs2', 'buffer'];
fs.writeFileSync(name, 'h\u00e9llo \u{1f30a}~?\xff');
for (const encoding of encodings)
    console.log(encoding, encoding === 'buffer' ? '' : fs.readFileSync(name, encoding), fs.readdirSync(dir, encoding), fs.readdirSync(dir, { encoding, withFileTypes: true })[0].name);
for (const [encoding, text] of [['hex', '68690a'], ['base64', 'aGkK'], ['latin1', '\xe9\xff'], ['utf16le', 'hi'], ['ascii', 'a\xe9'], ['utf8', '\ud800x']]) {
    fs.writeFileSync(name, text, encoding);
    fs.appendFileSync(name, text, { encoding });
    console.log(encoding, fs.readFileSync(name));
}
fs.writeFileSync(Buffer.from(name), Buffer.from('from a Buffer'));
console.log(fs.readFileSync(Buffer.from(name), 'utf8'), fs.statSync(Buffer.from(name)).size, fs.existsSync(Buffer.from(`${name}x`)));
fs.symlinkSync('t\u00e9', `${dir}/link`);
for (const encoding of ['utf8', 'hex', 'buffer', 'base64'])
    console.log(fs.readlinkSync(`${dir}/link`, encoding), fs.realpathSync('/proc/self/../self/mounts', { encoding: 'utf8' }).length > 0, typeof fs.mkdtempSync(`${dir}/m`, encoding));
try { fs.readFileSync(name, 'buffer'); } catch (error) { console.log(error.code, error.message); }
try { fs.readFileSync(Buffer.from('/nope/\u00e9')); } catch (error) { console.log(error.message, error.path); }
// invalid UTF-8, each in Node's way
const all = [0x41, 0x80, 0xbf, 0xc0, 0xc2, 0xc3, 0xe0, 0xa0, 0xed, 0x9f, 0xef, 0xbb, 0xf0, 0x90, 0xf4, 0x8f, 0xf5, 0xff];
const random = new (require('../support/random.cjs').Random)(1);
let hash = 0;
for (let i = 0; i < 500; i++) {
    const bytes = Uint8Array.from({ length: i % 9 }, () => random.choose('byte', all));
    fs.writeFileSync(name, bytes);
    for (const letter of fs.readFileSync(name, 'utf8'))
        hash = (hash * 31 + letter.codePointAt(0)) | 0;
}
console.log(hash);
const buffer = Buffer.alloc(6, '.');
fs.writeFileSync(name, 'abc');
const fd = fs.openSync(name);
console.log(fs.readSync(fd, buffer, 1, 3), buffer.toString());
fs.read(fd, (error, count, data) => {
    console.log(error, count, data.constructor.name, data.length);
    fs.promises.readFile(name).then((data) => console.log(data, Buffer.isBuffer(data)));
});
process.stdout.write('68690a', 'hex');
process.stdout.write(Buffer.from('a Buffer\n'));
