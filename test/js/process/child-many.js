'use strict';
// Many children in a row and at once: none becomes a zombie, no descriptor is
// left.  WEIR_SPAWNS=10000 spawns as many.
const { spawn, spawnSync } = require('child_process');
const { once } = require('events');
const fs = require('fs');

const count = Number(process.env.WEIR_SPAWNS ?? 300), AT_ONCE = 20;
const descriptors = () => fs.readdirSync('/proc/self/fd').length;
const children = () => spawnSync('ps', ['--ppid', String(process.pid), '-o', 'stat=,comm='], { encoding: 'utf8' })
    .stdout.split('\n').filter((line) => line !== '' && !/ps$/.test(line));

async function one(number) {
    const kind = number % 4;
    const child = kind === 3 ? spawn('/no/such/file')
        : spawn('cat', { stdio: kind === 0 ? 'pipe' : ['pipe', 'ignore', kind === 1 ? 'ignore' : 'pipe'] });
    if (kind === 3) {
        const closed = new Promise((resolve) => child.on('close', resolve));
        await once(child, 'error');
        await closed;
        return -2;
    }
    if (kind === 1)
        child.kill('SIGKILL');
    child.stdin.on('error', () => {});
    child.stdin.end('x');
    const [code, signal] = await once(child, 'close');
    return signal ?? code;
}

(async () => {
    await one(0);
    const before = descriptors(), outcomes = {};
    for (let done = 0; done < count; done += AT_ONCE)
        for (const outcome of await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => one(done + i))))
            outcomes[outcome] = (outcomes[outcome] ?? 0) + 1 / count;
    for (let i = 0; i < 10; i++)
        spawnSync('cat', { input: 'x' });
    console.log(Object.fromEntries(Object.entries(outcomes).map(([key, share]) => [key, share.toFixed(2)])));
    console.log('left', descriptors() - before, children());
})();
