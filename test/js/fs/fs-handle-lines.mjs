// FileHandle.readLines.
import { mkdtemp, open, rm, writeFile } from 'fs/promises';
const { log } = console;
const dir = await mkdtemp('/tmp/weir-fs-');
const name = `${dir}/file`;

async function linesOf(text, options) {
    await writeFile(name, text);
    const handle = await open(name), lines = [];
    for await (const line of handle.readLines(options))
        lines.push(line);
    return [...lines, handle.fd]; // closed with its stream
}

log(await linesOf('one\ntwo\r\nthree\n\nlast'));
log(await linesOf('one\ntwo\n'), await linesOf('\n'), await linesOf(''));
// The end of a line and a character in two pieces.
log(await linesOf('a\r\nb\r\näö€😀\r\n', { highWaterMark: 1 }));
log(await linesOf('0123\n5678\n', { start: 2, end: 6 }));
log(await linesOf('ä\n', { encoding: 'latin1' }));
log((await linesOf('x'.repeat(200_000) + '\n' + 'y\n'.repeat(50_000)))
    .reduce((sum, line) => sum + (line.length ?? 0), 0));

{ // left at the first line
    await writeFile(name, 'one\ntwo\nthree\n');
    const handle = await open(name);
    const lines = handle.readLines();
    for await (const line of lines) {
        log(line);
        break;
    }
    await handle.close();
}
{ // by events, and the file stays open
    const handle = await open(name);
    const lines = handle.readLines({ autoClose: false });
    lines.on('line', (line) => log('line', line));
    await new Promise((resolve) => lines.on('close', resolve));
    log(handle.fd > 2);
    await handle.close();
    log(handle.fd);
}
{ // of a closed file
    const handle = await open(name);
    await handle.close();
    try {
        log(handle.readLines());
    } catch (error) {
        log(error.code);
    }
}
await rm(dir, { recursive: true });
