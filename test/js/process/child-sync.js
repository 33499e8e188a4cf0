'use strict';
// Children that the program waits for.
const { spawnSync, execSync, execFileSync } = require('child_process');
const fs = require('fs');

function show(name, { pid, error, ...result }) {
    console.log(name, typeof pid, pid > 0, result, error && [error.name, error.code, error.errno, error.syscall, error.path, error.spawnargs, error.message]);
}
function attempt(name, run) {
    try {
        console.log(name, run());
    } catch (error) {
        const { status, signal, stdout, stderr, output, code } = error;
        console.log(name, error.name, code, error.message, { status, signal, stdout, stderr, output });
    }
}
const text = { encoding: 'utf8' };

show('both', spawnSync('sh', ['-c', 'echo out; echo err >&2; exit 3'], text));
show('buffers', spawnSync('sh', ['-c', 'echo out']));
show('input', spawnSync('cat', { input: 'from here', ...text }));
show('bytes', spawnSync('cat', { input: new Uint8Array([97, 98]), ...text }));
show('view', spawnSync('cat', { input: new DataView(new ArrayBuffer(2)), encoding: 'hex' }));
show('large', { ...spawnSync('wc', ['-c'], { input: 'x'.repeat(1 << 20), ...text }) });
show('stdio', spawnSync('sh', ['-c', 'echo out; echo err >&2'], { stdio: ['ignore', 'pipe', 'ignore'], ...text }));
const fd = fs.openSync('/dev/null', 'r+');
show('descriptor', spawnSync('sh', ['-c', 'echo lost; echo kept >&2'], { stdio: [fd, fd, 'pipe'], ...text }));
fs.closeSync(fd);
show('signal', spawnSync('sh', ['-c', 'kill -TERM $$'], text));
show('missing', spawnSync('/no/such/file', ['a'], text));
show('denied', spawnSync('/etc/passwd', [], text));
show('timeout', spawnSync('sleep', ['1000'], { timeout: 20, ...text }));
show('kill signal', spawnSync('sleep', ['1000'], { timeout: 20, killSignal: 'SIGKILL', ...text }));
// Node returns all that it has read by then.
const much = spawnSync('yes', [], { maxBuffer: 10, ...text });
console.log('maxBuffer', much.error.code, much.signal, much.stdout.startsWith('y\ny\ny\ny\ny\n'));
for (const maxBuffer of [0, null])
    show('no limit', spawnSync('printf', ['12345'], { maxBuffer, ...text }));
show('exactly', spawnSync('printf', ['12345'], { maxBuffer: 5, ...text }));
show('settings', spawnSync('sh', ['-c', 'pwd; echo $A'], { cwd: '/', env: { A: 'a' }, ...text }));
show('shell', spawnSync('echo $((1 + 2))', { shell: true, ...text }));
// What the child has left behind does not delay the end of the time.
show('left behind', spawnSync('sh', ['-c', 'sleep 1000 & echo started; wait'], { timeout: 200, stdio: ['ignore', 'ignore', 'ignore'], killSignal: 'SIGKILL' }));

attempt('execSync', () => String(execSync('echo hi')));
attempt('execSync text', () => execSync('cat', { input: 'in', ...text }));
attempt('execSync fails', () => execSync('echo out; exit 5', text));
attempt('execSync with stderr', () => execSync('echo why >&2; exit 6', { stdio: 'pipe', ...text }));
for (const command of ['exit 7', 'exec yes'])
    try {
        execSync(command, { stdio: 'pipe', maxBuffer: 10 });
    } catch (error) {
        console.log('properties', Object.keys(error).join());
    }
attempt('execSync shell', () => execSync('echo $0', { shell: '/bin/sh', ...text }));
attempt('execFileSync', () => execFileSync('echo', ['a  b', '$A'], text));
attempt('execFileSync options', () => execFileSync('echo', text));
attempt('execFileSync fails', () => execFileSync('sh', ['-c', 'exit 9'], { stdio: 'pipe', ...text }));
attempt('execFileSync missing', () => execFileSync('/no/such/file', ['x'], text));
attempt('execFileSync inherits', () => execFileSync('true', { stdio: 'inherit' }));

for (const [name, options] of Object.entries({ ipc: { stdio: ['ipc'] }, timeout: { timeout: -1 }, maxBuffer: { maxBuffer: -1 },
    killSignal: { killSignal: 'SIGNONE' }, input: { input: 5 }, stdio: { stdio: 'none' }, cwd: { cwd: 5 }, env: { env: { A: '\0' } } }))
    attempt(name, () => spawnSync('true', [], options));
attempt('no file', () => spawnSync());
attempt('args', () => spawnSync('true', 5));
attempt('command', () => execSync(5));
