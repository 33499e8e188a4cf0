// The order in which functions of sources, sinks and readers are called.
'use strict';
const log = console.log;
const ticks = async (n) => { for (let i = 0; i < n; i++) await null; };
const tell = (p, name) => { p.then((v) => log(name, 'ok', v), (e) => log(name, 'fail', String(e))); return p; };
const sections = {
    async pull() {
        let n = 0;
        const rs = new ReadableStream({ start() { log('start'); }, pull(c) { log('pull', n, c.desiredSize);
        c.enqueue(n++); if (n === 4) c.close(); }, cancel(r) { log('cancel', r); } });
        const t = ticks(12); const r = rs.getReader(); tell(r.closed, 'closed');
        tell(r.read(), 'r0');
        tell(r.read(), 'r1');
        await t;
        tell(r.read(), 'r2');
        tell(r.read(), 'r3');
        tell(r.read(), 'r4');
        await ticks(6);
    },
    async asyncPull() {
        let n = 0;
        const rs = new ReadableStream({ async start() { log('start'); }, async pull(c) { log('pull', n);
        await null;
        c.enqueue(n++); } }, { highWaterMark: 2 });
        const t = ticks(14);
        const r = rs.getReader();
        tell(r.read(), 'r0');
        tell(r.read(), 'r1');
        await t;
        tell(r.cancel('x'), 'cancel');
        await ticks(4);
    },
    async write() {
        const ws = new WritableStream({ start() { log('start'); }, write(x) { log('write', x); }, close() { log('close'); } }, { highWaterMark: 2 });
        const w = ws.getWriter(); tell(w.closed, 'closed'); tell(w.ready, 'ready');
        const t = ticks(12);
        tell(w.write(1), 'w1');
        log(w.desiredSize);
        tell(w.write(2), 'w2');
        log(w.desiredSize);
        tell(w.ready, 'ready2');
        tell(w.write(3), 'w3');
        tell(w.close(), 'close');
        await t;
    },
    async asyncWrite() {
        const ws = new WritableStream({ async write(x) { log('write', x);
        await null; if (x === 2) throw new Error('two'); }, abort(r) { log('abort', r); } });
        const w = ws.getWriter(); tell(w.closed, 'closed'); tell(w.ready, 'ready');
        const t = ticks(14);
        tell(w.write(1), 'w1');
        tell(w.write(2), 'w2');
        tell(w.write(3), 'w3');
        tell(w.close(), 'close');
        await t;
    },
    async abort() {
        const ws = new WritableStream({ write(x) { log('write', x); return new Promise((r) => setTimeout(r, 5)); }, abort(r) { log('abort', r); } });
        const w = ws.getWriter(); tell(w.closed, 'closed');
        const t = ticks(6);
        tell(w.write(1), 'w1');
        tell(w.write(2), 'w2');
        await null;
        tell(w.abort('why'), 'abort');
        tell(w.ready, 'ready');
        await t;
        await w.closed.catch(() => {});
        await ticks(4);
    },
    async transform() {
        const ts = new TransformStream({ start() { log('start'); }, transform(x, c) { log('transform', x, c.desiredSize);
        c.enqueue(x * 2); }, flush(c) { log('flush');
        c.enqueue('end'); } });
        const w = ts.writable.getWriter(), r = ts.readable.getReader();
        const t = ticks(24);
        tell(w.write(1), 'w1');
        tell(w.write(2), 'w2');
        tell(w.close(), 'close');
        tell(r.read(), 'r1');
        await null;
        await null;
        tell(r.read(), 'r2');
        tell(r.read(), 'r3');
        tell(r.read(), 'r4');
        await t;
    },
    async transformCancel() {
        const ts = new TransformStream({ transform(x, c) { c.enqueue(x); }, cancel(r) { log('cancel', r); } });
        const w = ts.writable.getWriter();
        tell(w.closed, 'closed');
        tell(w.write(1), 'w1');
        const t = ticks(10);
        tell(ts.readable.cancel('no'), 'cancel');
        await t;
        const t2 = new TransformStream({ cancel(r) { log('cancel2', r); } });
        tell(t2.writable.abort('ab'), 'abort');
        tell(t2.readable.getReader().read(), 'read');
        await ticks(8);
        let c;
        const t3 = new TransformStream({ start(x) { c = x; } });
        tell(t3.readable.getReader().read(), 'read');
        tell(t3.writable.getWriter().closed, 'closed');
        c.terminate();
        await ticks(6);
        const t4 = new TransformStream({ transform() { throw new Error('bad'); } });
        const w4 = t4.writable.getWriter();
        tell(t4.readable.getReader().read(), 'read');
        tell(w4.write(1), 'write');
        tell(w4.closed, 'closed');
        await ticks(10);
    },
    async iterate() {
        const make = (n = 0) => new ReadableStream({ pull(c) { c.enqueue(n++); if (n % 5 === 0) c.close(); }, cancel(r) { log('cancel', r); } });
        for await (const x of make()) log(x);
        for await (const x of make()) { log(x); if (x === 2) break; }
        const rs = make();
        for await (const x of rs.values({ preventCancel: true })) { log(x); break; } log(rs.locked);
        const it = rs.values();
        tell(it.next(), 'n1');
        tell(it.next(), 'n2');
        tell(it.return('v'), 'ret');
        tell(it.next(), 'n3');
        await ticks(10);
        const bad = new ReadableStream({ start(c) { c.error('boom'); } });
        try { for await (const x of bad) log(x); } catch (e) { log('caught', e); } log(bad.locked);
    },
    async tee() {
        let n = 0;
        const rs = new ReadableStream({ pull(c) { log('pull', n);
        c.enqueue({ n: n++ }); if (n === 3) c.close(); }, cancel(r) { log('cancel', r); } });
        const [a, b] = rs.tee();
        const ra = a.getReader(), rb = b.getReader();
        const t = ticks(12);
        tell(ra.read(), 'a0');
        tell(rb.read(), 'b0');
        await t;
        const x = await ra.read(), y = await rb.read();
        log(x, x.value === y.value);
        tell(ra.cancel('ca'), 'cancel a');
        tell(rb.cancel('cb'), 'cancel b');
        await ticks(6);
        const two = new ReadableStream({ start(c) { c.enqueue(1); }, cancel(r) { log('cancel two', r); } }).tee();
        tell(two[0].cancel('x'), 'x');
        tell(two[1].cancel('y'), 'y');
        await ticks(6);
    },
    async teeBytes() {
        const rs = new ReadableStream({ type: 'bytes', pull(c) { log('pull', c.byobRequest?.view.byteLength);
        c.enqueue(new Uint8Array([1, 2, 3]));
        c.close();
        c.byobRequest?.respond(0); } });
        const [a, b] = rs.tee();
        const ra = a.getReader({ mode: 'byob' }), rb = b.getReader();
        log(await Promise.all([ra.read(new Uint8Array(2)), rb.read()]));
        await ticks(14);
        log(await Promise.all([ra.read(new Uint8Array(2)), rb.read()]));
        log(await Promise.all([ra.read(new Uint8Array(2)), rb.read()]));
    },
    async bytes() {
        let n = 0;
        const rs = new ReadableStream({ type: 'bytes', autoAllocateChunkSize: 4, pull(c) { const v = c.byobRequest?.view;
        log('pull', v?.byteLength); if (v) { v[0] = n++;
        c.byobRequest.respond(1); } else c.enqueue(new Uint8Array([9, 9])); if (n === 3) c.close(); } });
        const r = rs.getReader();
        tell(r.read(), 'r');
        tell(r.read(), 'r');
        await ticks(10);
        r.releaseLock();
        const q = rs.getReader({ mode: 'byob' });
        tell(q.read(new Uint8Array(8)), 'q');
        tell(q.read(new Uint16Array(2)), 'q2');
        await ticks(10);
    },
    async bytesMin() {
        let c;
        const rs = new ReadableStream({ type: 'bytes', start(x) { c = x; } });
        const r = rs.getReader({ mode: 'byob' });
        tell(r.read(new Uint8Array(8), { min: 5 }), 'min');
        await ticks(2);
        c.enqueue(new Uint8Array(3).fill(1));
        await ticks(2);
        c.enqueue(new Uint8Array(3).fill(2));
        await ticks(3);
        tell(r.read(new Uint16Array(4)), 'u16');
        c.enqueue(new Uint8Array([1]));
        await ticks(2);
        c.enqueue(new Uint8Array([2, 3]));
        await ticks(3);
        tell(r.read(new DataView(new ArrayBuffer(4), 1)), 'dv');
        await ticks(3);
        const p = r.read(new Uint8Array(2));
        r.releaseLock();
        await tell(p, 'released').catch(() => {});
        c.enqueue(new Uint8Array([5, 6, 7]));
        const d = rs.getReader();
        tell(d.read(), 'after');
        await ticks(3);
        c.close();
        tell(d.read(), 'end');
        await ticks(2);
    },
    async from() {
        const gen = async function* () { try { yield 1; yield 2; yield 3; } finally { log('finally'); } };
        for await (const x of ReadableStream.from(gen())) { log(x); if (x === 2) break; }
        const it = { i: 0, next() { log('next'); return { done: this.i > 1, value: this.i++ }; }, return(r) { log('return', r); return {}; }, [Symbol.iterator]() { return this; } };
        const rs = ReadableStream.from(it);
        const r = rs.getReader();
        tell(r.read(), 'r');
        await ticks(8);
        tell(r.cancel('stop'), 'cancel');
        await ticks(6);
        const bad = ReadableStream.from({ next() { return 1; }, [Symbol.asyncIterator]() { return this; } });
        tell(bad.getReader().read(), 'bad');
        await ticks(5);
    },
};
(async () => { for (const [name, fn] of Object.entries(sections)) { log(`==== ${name}`); await fn(); } })();
