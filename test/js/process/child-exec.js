'use strict';
// exec and execFile: output, errors, limits, promises.
const { exec, execFile } = require('child_process');
const { promisify } = require('util');

const show = (error) => error && [error.name, error.code, error.signal, error.killed, error.cmd, error.message, error.stdout, error.stderr];
const run = (fn, ...args) => new Promise((resolve) => fn(...args, (error, stdout, stderr) =>
    resolve(console.log(show(error), [stdout, stderr]))));

async function main() {
    await run(exec, 'echo out; echo err >&2');
    await run(exec, 'echo out; echo err >&2; exit 7');
    await run(exec, 'kill -9 $$');
    await run(exec, 'echo "$A"; pwd', { env: { A: 'a' }, cwd: '/' });
    await run(exec, 'echo héé', { encoding: 'buffer' });
    await run(exec, 'echo hex', { encoding: 'hex' });
    await run(exec, 'printf "\\303"; printf "\\251"');
    await run(exec, 'echo nothing', { encoding: 'nonsense' });
    await run(exec, 'sleep 1000', { timeout: 20 });
    await run(exec, 'exec sleep 1000', { timeout: 20, killSignal: 'SIGKILL' });
    await run(exec, 'exec yes', { maxBuffer: 10 });
    await run(exec, 'exec yes >&2', { maxBuffer: 5, encoding: 'buffer' });
    await run(exec, 'printf 12345', { maxBuffer: 5 });
    await run(exec, "printf 'ééé'", { maxBuffer: 5 }); // bytes
    await run(exec, "printf 'ab\\303'"); // an incomplete character
    const text = exec('echo text', { encoding: 'latin1' });
    text.stdout.on('data', (part) => console.log([part], text.stdout.readableEncoding));
    await new Promise((resolve) => text.on('close', resolve));
    await run(exec, 'no-such-command-here 2>/dev/null');
    await run(execFile, 'echo', ['$A', 'a  b']);
    await run(execFile, 'echo', { encoding: 'utf8' });
    await run(execFile, 'echo');
    await run(execFile, 'echo', ['$((1 + 1))'], { shell: true });
    await run(execFile, '/no/such/file', ['x']);
    await run(execFile, 'false', ['a', 'b']);
    const done = promisify(exec)('echo promised; echo err >&2');
    console.log(typeof done.child.pid, await done);
    await promisify(execFile)('sh', ['-c', 'echo part; exit 2']).catch((error) => console.log(show(error)));
    const controller = new AbortController();
    const aborted = promisify(execFile)('sleep', ['1000'], { signal: controller.signal });
    controller.abort();
    await aborted.catch((error) => console.log(show(error)));
    for (const args of [[5], ['true', 'text'], ['a\0'], ['true', { timeout: -1 }], ['true', { maxBuffer: -1 }],
        ['true', { maxBuffer: 'x' }], ['true', {}, 5], ['true', { killSignal: 'SIGNONE' }]])
        for (const fn of [exec, execFile])
            try {
                fn(...args);
                console.log(fn.name, 'accepted');
            } catch (error) {
                console.log(fn.name, error.name, error.code, error.message);
            }
}
main();
