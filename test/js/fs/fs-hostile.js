// weir only
// Each function of fs with no, wrong and hostile arguments: an exception, a
// rejection or a result, never a crash.
const fs = require('fs');
const dir = fs.mkdtempSync('/tmp/weir-fs-'), before = process.cwd();
process.chdir(dir);
// fs.close without a callback throws.
process.on('uncaughtException', (error) => {
    if (error.syscall !== 'close')
        throw error;
});
const throwing = new Proxy({}, { get() { throw new Error('trap'); }, ownKeys() { throw new Error('trap'); }, getPrototypeOf() { throw new Error('trap'); } });
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const detached = new ArrayBuffer(8), view = new Uint8Array(detached);
detached.transfer();
const shrunk = new ArrayBuffer(8, { maxByteLength: 8 }), outside = new Uint8Array(shrunk, 4, 4);
shrunk.resize(2);
const values = [undefined, null, true, -1, 1.5, NaN, Infinity, 999, 2 ** 53, 10n ** 40n, 5n, '', 'x', 'x\0', '\ud800', 'y'.repeat(1e4), 'utf8', 'r+',
    Symbol('s'), {}, [], () => {}, throwing, revoked, detached, view, outside, new SharedArrayBuffer(4), new Uint8Array(new SharedArrayBuffer(4)), new DataView(new ArrayBuffer(2)),
    new Proxy([], {}), Object.create(null), { toString() { throw new Error('toString'); } }, { length: 1e9 }, { encoding: throwing }, { signal: throwing }, { recursive: throwing },
    { get bigint() { throw new Error('bigint'); } }, { buffer: view }, { position: 1e300 }, { mode: '7777777777777' }, { href: 'x', protocol: 'file:', pathname: '%zz', hostname: '' }, new Date(NaN), /x/, new Error('e')];
let calls = 0, thrown = 0, pending = 0, ended = 0;
function attack(fn, isAsync) {
    for (const a of values)
        for (const args of isAsync ? [[], [a], ['x', a], [999, a, a]]
            : [[], [a], [a, a], ['x', a], [a, 'x', a], ['x', a, a, a], [999, view, a, a, a], [999, new Uint8Array(4), a, a, a]]) {
            calls++;
            try {
                const result = isAsync ? fn(...args, () => { ended++; }) : fn(...args);
                if (result instanceof Promise) {
                    pending++;
                    result.then((it) => { ended++; return it?.close?.(); });
                } else if (isAsync) {
                    pending++;
                }
                if (typeof result?.pipe === 'function' || typeof result?.cork === 'function')
                    result.on('error', () => { ended++; }).on('open', () => { ended++; result.destroy(); });
                if (typeof result === 'number' && fn.name === 'openSync')
                    fs.closeSync(result);
                if (fn.name === 'watch')
                    result.close();
                if (fn.name === 'watchFile')
                    result.unref();
            } catch {
                thrown++;
            }
        }
}
for (const [name, fn] of Object.entries(fs))
    if (typeof fn === 'function' && !/^[A-Z]/.test(name))
        attack(fn, !name.endsWith('Sync'));
for (const fn of Object.values(fs.promises))
    if (typeof fn === 'function')
        attack((...args) => fn(...args).catch(() => {}), true);
process.on('exit', () => {
    process.chdir(before);
    fs.rmSync(dir, { recursive: true });
    console.log(calls > 10000, thrown > 1000, pending > 1000, ended > 1000);
});
// A buffer that goes away while the pool reads for it.
const buffer = new ArrayBuffer(64), target = new Uint8Array(buffer);
const fd = fs.openSync(__filename);
fs.read(fd, target, 0, 64, 0, (error) => { console.log(error instanceof TypeError); fs.closeSync(fd); });
buffer.transfer();

// long: address thread
