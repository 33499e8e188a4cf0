'use strict';
// Archives of both kinds, read back with the system's own programs.
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const stream = require('node:stream/promises');
const zlib = require('node:zlib');
const { TarArchive, ZipArchive } = require('archiver');

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'archiver-'));

fs.mkdirSync(path.join(scratch, 'from', 'deep'), { recursive: true });
for (const name of ['a.txt', 'deep/b.txt'])
    fs.writeFileSync(path.join(scratch, 'from', name), `the text of ${name}`);

async function write(name, archive) {
    const file = path.join(scratch, name);
    const seen = [];
    archive.on('entry', (entry) => seen.push(entry.name));
    const written = stream.pipeline(archive, fs.createWriteStream(file));
    archive.append('text of a string', { name: 'string.txt', date: new Date(1e12) });
    archive.append(Buffer.alloc(100000, 'x'), { name: 'deep/buffer.bin', mode: 0o600 });
    archive.append(fs.createReadStream(__filename), { name: 'stream.js' });
    archive.directory(path.join(scratch, 'from'), 'to');
    archive.file(path.join(__dirname, 'support', 'hello.txt'), { name: 'file.txt' });
    await archive.finalize();
    await written;
    console.log(name, archive.pointer() === fs.statSync(file).size, seen.sort());
    return file;
}

(async () => {
    const zip = await write('all.zip', new ZipArchive({ zlib: { level: 9 } }));
    console.log(execFileSync('python3', ['-c', `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(archive.testzip(), sorted((i.filename, i.file_size) for i in archive.infolist()
      if i.filename != 'stream.js'))`, zip], { encoding: 'utf8' }));
    const tar = await write('all.tar.gz', new TarArchive({ gzip: true }));
    const bytes = zlib.gunzipSync(fs.readFileSync(tar));
    console.log(bytes.subarray(0, 10).toString(), bytes.length % 512);
    console.log(execFileSync('tar', ['xzfO', tar, 'string.txt', 'file.txt'], { encoding: 'utf8' }));
    fs.rmSync(scratch, { recursive: true });
})();
