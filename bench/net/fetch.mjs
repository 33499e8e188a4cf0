// SPDX-License-Identifier: MIT
// fetch() as a client, by Node or by weir: fetch.mjs PORT PATH SIZE AT_ONCE SECONDS.
//
// So many requests are in flight all the time, and each body is read as bytes.  The
// first 5,000 are not measured: V8 compiles what it has run for a while.
const [port, path, size, atOnce, seconds] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}${path}`;
const WARM_UP = 5000;
let count = 0, isOver = false, warmedUp;
const isWarm = new Promise((resolve) => { warmedUp = resolve; });

async function repeat() {
    while (!isOver) {
        const response = await fetch(url);
        const body = await response.arrayBuffer();
        if (response.status !== 200 || body.byteLength !== +size)
            throw new Error(`status ${response.status}, ${body.byteLength} bytes`);
        if (++count === WARM_UP)
            warmedUp();
    }
}

const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const all = Array.from({ length: +atOnce }, repeat);
await Promise.race([isWarm, ...all]);
const before = { count, ms: performance.now(), cpu: process.cpuUsage() };
await Promise.race([after(seconds * 1000), ...all]);
const cpu = process.cpuUsage(before.cpu);
console.log(JSON.stringify({ count: count - before.count,
    seconds: (performance.now() - before.ms) / 1000, cpu: cpu.user + cpu.system }));
isOver = true;
await Promise.all(all);
process.exit(); // no connection is waited for
