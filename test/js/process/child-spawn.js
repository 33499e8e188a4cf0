'use strict';
// Child processes: their streams, events and ends.
const { spawn, ChildProcess } = require('child_process');
const { once } = require('events');
const fs = require('fs');
const os = require('os');
const path = require('path');

const collect = async (stream) => String(Buffer.concat(await stream.toArray()));
const show = (error) => [error.name, error.code, error.errno, error.syscall, error.path, error.spawnargs, error.message];

async function end(child) {
    const [code, signal] = await once(child, 'close');
    return [code, signal, child.exitCode, child.signalCode, child.killed];
}

async function streams() {
    const child = spawn('sh', ['-c', 'echo out; echo err >&2; cat; exit 3']);
    const events = [];
    for (const name of ['spawn', 'exit', 'close'])
        child.on(name, (...args) => events.push([name, ...args]));
    child.stdin.end('hello\n');
    console.log(await Promise.all([collect(child.stdout), collect(child.stderr), end(child)]));
    console.log(events, child instanceof ChildProcess, child.spawnfile, child.spawnargs, typeof child.pid, child.connected,
        child.stdin === child.stdio[0], child.stdio.length);
    const cat = spawn('cat'), big = 'x'.repeat(1 << 20);
    cat.stdin.end(big);
    console.log((await collect(cat.stdout)) === big, await end(cat));
    const unread = spawn('echo', ['nobody reads this']);
    console.log('unread', await end(unread));
    const early = spawn('true');
    early.stdin.on('error', (error) => console.log('stdin', error.code));
    await end(early);
    console.log(early.stdin.destroyed, early.kill(), early.killed);
}

async function kinds() {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'child-')), file = path.join(dir, 'out');
    const fd = fs.openSync(file, 'w');
    for (const stdio of [['ignore', fd, 'ignore'], [null, { fd }, undefined], ['ignore', 'pipe', fd, fd]]) {
        const child = spawn('sh', ['-c', 'echo to 1; echo to 2 >&2; [ -e /proc/self/fd/3 ] && echo to 3 >&3; true'], { stdio });
        console.log(child.stdio.map((stream) => stream === null ? null : stream.constructor.name), await end(child));
    }
    fs.closeSync(fd);
    console.log(fs.readFileSync(file, 'utf8'));
    // A fourth descriptor, for both directions
    const child = spawn('sh', ['-c', 'read line <&3; echo "got $line" >&3'], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
    child.stdio[3].write('question\n');
    console.log(await collect(child.stdio[3]), await end(child));
    console.log(await collect(spawn('cat', { stdio: ['ignore', 'pipe', 'ignore'] }).stdout) === '');
    const from = spawn('echo', ['through a stream']), to = spawn('cat', { stdio: [from.stdout, 'pipe', 'inherit'] });
    from.stdout.pause();
    console.log(await collect(to.stdout));
    fs.rmSync(dir, { recursive: true });
    for (const stdio of ['nonsense', ['nonsense'], [{}], ['ipc', 'ipc'], 5])
        try {
            spawn('true', { stdio });
        } catch (error) {
            console.log(error.name, error.code, error.message);
        }
}

async function settings() {
    const run = async (options, text = 'pwd; echo "$A$B"; echo "$0"') => {
        const child = spawn('sh', ['-c', text], options);
        return [await collect(child.stdout), (await end(child))[0]];
    };
    console.log(await run({ cwd: '/', env: { A: 'a', B: undefined } }));
    console.log(await run({ cwd: new URL('file:///usr'), env: Object.create({ A: 'inherited', B: 5 }) }));
    console.log(await run({ argv0: 'name' }, 'cat /proc/$$/cmdline | tr "\\0" " "'));
    for (const shell of [true, '/bin/sh']) {
        const child = spawn('echo $((1 + 2))', ['"a  b"'], { shell });
        console.log(await collect(child.stdout), child.spawnfile, child.spawnargs);
    }
    const detached = spawn('sh', ['-c', 'ps -o sid= -p $$ | tr -d " "; echo $$'], { detached: true });
    const [sid, pid] = (await collect(detached.stdout)).trim().split('\n');
    console.log('detached', sid === pid, +pid === detached.pid);
    const attached = spawn('sh', ['-c', 'exit 0']);
    attached.unref();
    attached.ref();
    console.log(await end(attached));
    if (process.getuid?.() === 0 || process.env.USER === 'root' || os.userInfo().uid === 0)
        console.log('ids', await collect(spawn('sh', ['-c', 'id -u; id -g'], { uid: 65534, gid: 65534 }).stdout));
    else
        console.log('ids', '65534\n65534\n');
}

async function ends() {
    for (const signal of [undefined, 'SIGKILL', 'sigint', 15, 'SIGUSR1']) {
        const child = spawn('sleep', ['1000']);
        console.log(signal, child.kill(0), child.killed, child.kill(signal), child.killed, await end(child), child.kill(), child.kill(0));
    }
    for (const signal of ['SIGNONE', 999, {}, 0.5]) {
        const child = spawn('sleep', ['1000']);
        try {
            child.kill(signal);
        } catch (error) {
            console.log(error.name, error.code, error.message);
        }
        child.kill();
        await end(child);
    }
    for (const [file, options] of [['/no/such/file'], ['no-such-command', { cwd: '/' }], ['true', { cwd: '/no/such' }], ['/etc/passwd'], ['/']]) {
        const child = spawn(file, ['a', 'b'], options), events = [];
        for (const name of ['spawn', 'exit', 'close'])
            child.on(name, (...args) => events.push([name, ...args]));
        console.log(show((await once(child, 'error'))[0]), child.pid, child.exitCode, child.stdout !== null);
        await once(child, 'close');
        console.log(events, child.stdin.destroyed);
    }
    const limited = spawn('sleep', ['1000'], { timeout: 20, killSignal: 'SIGINT' });
    console.log('timeout', await end(limited));
}

async function aborts() {
    for (const [name, before] of [['before', true], ['during', false]]) {
        const controller = new AbortController();
        if (before)
            controller.abort(new Error('why'));
        const child = spawn('sleep', ['1000'], { signal: controller.signal });
        const closed = new Promise((resolve) => child.on('close', (...args) => resolve(args)));
        const failed = new Promise((resolve) => child.on('error', resolve));
        if (!before)
            setImmediate(() => controller.abort());
        const error = await failed;
        console.log(name, error.name, error.code, error.message, error.cause.name, await closed);
    }
    const late = new AbortController(), child = spawn('true', { signal: late.signal });
    child.on('error', () => console.log('not expected'));
    console.log(await end(child));
    late.abort();
}

function refusals() {
    const attempt = (...args) => {
        try {
            spawn(...args).on('error', () => {});
            console.log('accepted');
        } catch (error) {
            console.log(error.name, error.code, error.message);
        }
    };
    for (const args of [[], [5], [''], ['a\0b'], ['true', 5], ['true', ['a\0']], ['true', [], 5], ['true', [], null], ['true', [], []]])
        attempt(...args);
    for (const [key, values] of Object.entries({ cwd: [5, 'a\0b'], detached: [1], uid: ['x', 1.5], gid: [{}], shell: [5], argv0: [5, 'a\0'],
        windowsHide: ['x'], windowsVerbatimArguments: [0], timeout: [-1, 'x', 1.5], killSignal: [{}, 'SIGNONE'], signal: [5, {}],
        env: [{ A: 'a\0b' }], serialization: ['xml'] }))
        for (const value of values)
            attempt('true', [], { [key]: value });
}

(async () => {
    await streams();
    await kinds();
    await settings();
    await ends();
    await aborts();
    refusals();
})();
