// A signal ends a readFile or writeFile: before it begins, and while it goes on.
const fs = require('fs');
const show = (error) => console.log(error.name, error.code, error.message, error.cause?.message ?? error.cause);
const dir = fs.mkdtempSync('/tmp/weir-fs-');
process.on('exit', () => fs.rmSync(dir, { recursive: true }));
async function main() {
    await fs.promises.readFile('fs-abort.js', { signal: AbortSignal.abort() }).catch(show);
    await fs.promises.writeFile(`${dir}/x`, 'x', { signal: AbortSignal.abort('why') }).catch(show);
    console.log(fs.existsSync(`${dir}/x`));
    const controller = new AbortController();
    const reading = fs.promises.readFile('fs-abort.js', { signal: controller.signal }).catch(show);
    controller.abort(new Error('no more'));
    await reading;
    let calls = 0;
    const other = new AbortController();
    await new Promise((resolve) => {
        fs.readFile('fs-abort.js', { signal: other.signal }, (error) => { calls++; show(error); resolve(); });
        other.abort();
    });
    await new Promise((resolve) => fs.readFile('fs-abort.js', { signal: AbortSignal.abort() }, (error) => { show(error); resolve(); }));
    const late = new AbortController();
    console.log((await fs.promises.readFile('fs-abort.js', { signal: late.signal, encoding: 'utf8' })).length > 0);
    late.abort();
    console.log(calls);
}
main();
