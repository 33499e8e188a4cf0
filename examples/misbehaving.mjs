// A service that misbehaves on request, to be looked at:
//
//     weir --live examples/misbehaving.mjs
//
// Open both addresses that it prints.  Each path makes another kind of trouble;
// ?ms=5000 says for how long.
import { serve } from 'weir:http';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const troubles = {
    spin: 'a loop that computes',
    regexp: 'a regular expression that backtracks',
    json: 'JSON.parse of a large text',
    sort: 'a long sort',
    timers: 'thousands of timers at once: congestion, not a hang',
    read: 'readFileSync of something that does not come',
    slow: 'a request that waits, which blocks nobody',
    worker: 'a worker that computes',
};

function spin(ms) {
    const end = Date.now() + ms;
    let rounds = 0;
    while (Date.now() < end)
        rounds++;
    return rounds;
}

function makeTrouble(kind, ms) {
    if (kind === 'spin')
        return spin(ms);
    if (kind === 'regexp')
        return /^(a+)+$/.test(`${'a'.repeat(20 + Math.log2(1 + ms / 100))}b`);
    if (kind === 'json')
        return JSON.parse(`[${'{"a":[1,2,3]},'.repeat(ms * 1000)}0]`).length;
    if (kind === 'sort')
        return Array.from({ length: ms * 500 }, Math.random).sort().length;
    if (kind === 'timers') {
        for (let i = 0; i < 1000; i++)
            setTimeout(spin, 1, ms / 1000);
        return 1000;
    }
    if (kind === 'read')
        return readFileSync('/dev/tty').length;
    if (kind === 'slow')
        return new Promise((resolve) => { setTimeout(resolve, ms, 'late'); });
    return new Promise((resolve, reject) => {
        new Worker(`const end = Date.now() + ${ms}; while (Date.now() < end);`, { eval: true })
            .on('exit', resolve).on('error', reject);
    });
}

const server = await serve({
    port: Number(process.argv[2] ?? 0), hostname: '127.0.0.1',
    async fetch(request) {
        const url = new URL(request.url), kind = url.pathname.slice(1);
        if (kind === '')
            return new Response(`<ul>${Object.entries(troubles).map(([path, what]) =>
                `<li><a href="/${path}?ms=3000">${path}</a>: ${what}`).join('')}</ul>`,
            { headers: { 'content-type': 'text/html' } });
        if (!(kind in troubles))
            return new Response('no such trouble\n', { status: 404 });
        const result = await makeTrouble(kind, Number(url.searchParams.get('ms') ?? 1000));
        return new Response(`${kind}: ${result}\n`);
    },
});
console.log(`make trouble at http://127.0.0.1:${server.port}/`);
