// t.virtualTime(): time moves when every thread is asleep.
// weir only
// test report
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const { test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

const HOUR = 3600 * 1000;
const elapsed = (since) => +(performance.now() - since).toFixed(6);

if (!isMainThread) {
    // Answers each delay after it has passed, with what its clocks say.
    parentPort.on('message', async (delay) => {
        const [date, now] = [Date.now(), performance.now()];
        await sleep(delay);
        parentPort.postMessage([delay, Date.now() - date, elapsed(now)]);
    });
    return;
}

test('clocks agree, and hours take no time', async (t) => {
    const real = process.hrtime.bigint();
    t.virtualTime();
    const [date, now, time] = [Date.now(), performance.now(), process.hrtime.bigint()];
    assert.strictEqual(Date.now(), date);
    await sleep(100 * HOUR);
    assert.strictEqual(Date.now() - date, 100 * HOUR);
    assert.strictEqual(new Date().getTime() - date, 100 * HOUR);
    assert.strictEqual(elapsed(now), 100 * HOUR);
    assert.strictEqual(process.hrtime.bigint() - time, BigInt(100 * HOUR) * 1000000n);
    t.virtualTime(); // again: no effect
    t.after(() => assert.ok(process.hrtime.bigint() - real > BigInt(HOUR)));
});

test('the real clock comes back', () => {
    assert.ok(Math.abs(Date.now() - (performance.timeOrigin + performance.now())) < HOUR);
});

test('timers fire in the order of their deadlines', async (t) => {
    t.virtualTime();
    const order = [];
    const began = performance.now();
    for (const delay of [50, 10, 1000, 11, 999])
        setTimeout(() => order.push(delay, elapsed(began)), delay);
    const interval = setInterval(() => order.push('i'), 400);
    await sleep(1001);
    clearInterval(interval);
    assert.deepStrictEqual(order, [10, 10, 11, 11, 50, 50, 'i', 'i', 999, 999, 1000, 1000]);
});

test('the clock waits for work and for threads', async (t) => {
    const worker = new Worker(__filename);
    const answers = [];
    t.after(() => worker.terminate());
    t.virtualTime();
    worker.on('message', (answer) => answers.push(answer));
    setTimeout(() => answers.push('timer'), HOUR);
    for (const delay of [2 * HOUR, 10, HOUR - 1])
        worker.postMessage(delay);
    await fs.promises.readFile(__filename); // though a timer could fire first
    assert.deepStrictEqual(answers, []);
    await sleep(2 * HOUR + 1);
    assert.deepStrictEqual(answers, [[10, 10, 10], [HOUR - 1, HOUR - 1, HOUR - 1], 'timer',
        [2 * HOUR, 2 * HOUR, 2 * HOUR]]);
});

test('bytes on a socket come before a timer', async (t) => {
    t.virtualTime();
    const events = [];
    const server = net.createServer((socket) => socket.on('data', (data) => {
        events.push(`server ${data}`);
        setTimeout(() => socket.end('pong'), HOUR);
    })).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.on('listening', resolve));
    const socket = net.connect(server.address().port, '127.0.0.1');
    socket.on('data', (data) => events.push(`client ${data}`));
    setTimeout(() => events.push('between'), HOUR / 2);
    setTimeout(() => events.push('late'), HOUR + 1000);
    socket.write('ping');
    await new Promise((resolve) => socket.on('close', resolve));
    await sleep(HOUR);
    assert.deepStrictEqual(events, ['server ping', 'between', 'client pong', 'late']);
    server.close();
});

test('a timeout is virtual, too', async (t) => {
    t.virtualTime();
    const signal = AbortSignal.timeout(HOUR);
    await sleep(HOUR);
    assert.ok(signal.aborted);
    const word = new Int32Array(new SharedArrayBuffer(4));
    assert.strictEqual(await Atomics.waitAsync(word, 0, 0, HOUR).value, 'timed-out');
});

test('subtests share it', async (t) => {
    t.virtualTime();
    await t.test('one', async (inner) => {
        inner.virtualTime();
        await sleep(HOUR);
    });
    await t.test('two', () => sleep(HOUR));
});
