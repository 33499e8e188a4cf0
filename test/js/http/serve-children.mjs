// weir only
// A signal that drains the servers ends the program, and names the children that have not exited,
// except those that are detached, or that were not to keep the program alive.
import { serve } from 'weir:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

// It waits until its stdin ends, which is when its parent has gone.
const wait = (options) => spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'], ...options });

async function inner() {
    await serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const over = spawn('true');
    await once(over, 'close');
    const kept = [wait(), wait()];
    const others = [wait({ detached: true }), wait(), wait()];
    others[1].unref();
    others[2].kill();
    await once(others[2], 'exit');
    const again = wait();
    again.unref();
    again.ref();
    console.log([...kept, again].map(({ pid }) => pid).join(' '));
    process.kill(process.pid, 'SIGTERM');
}

async function outer() {
    const program = spawn(process.execPath, [fileURLToPath(import.meta.url), 'inner'],
        { stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
        program[name].setEncoding('utf8').on('data', (text) => { texts[name] += text; });
    const [code, signal] = await once(program, 'close');
    const pids = texts.stdout.trim().split(' ');
    pids.forEach((pid, i) => { texts.stderr = texts.stderr.replace(` ${pid} `, ` ${i} `); });
    console.log(code, signal, pids.length);
    console.log(texts.stderr);
}

if (process.argv[2] === 'inner')
    inner();
else
    outer();
