// events: on, once, addAbortListener, listeners of both kinds, rejections.
const events = require('events');
const { EventEmitter, on, once, getEventListeners } = events;
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
t(() => getEventListeners(5));
t(() => getEventListeners(new EventEmitter(), 'x')); const e = new EventEmitter(); const f = () => {}; e.on('a', f); e.once('a', f);
t(() => getEventListeners(e, 'a')); const et = new EventTarget(); et.addEventListener('b', f);
t(() => getEventListeners(et, 'b'));
t(() => getEventListeners(et, 'zz'));
t(() => events.getMaxListeners(e));
t(() => events.getMaxListeners(et));
t(() => events.getMaxListeners(5));
t(() => events.setMaxListeners(5, e, et));
t(() => [e.getMaxListeners(), events.getMaxListeners(et)]);
t(() => events.setMaxListeners(-1));
t(() => events.setMaxListeners('x'));
t(() => events.setMaxListeners(1, 5));
t(() => events.setMaxListeners(10)); 
t(() => events.captureRejections);
t(() => { events.captureRejections = 5; });
t(() => String(events.captureRejectionSymbol));
t(() => new EventEmitter({ captureRejections: 5 }));
t(() => events.usingDomains);
t(() => typeof events.init);
t(() => events.listenerCount(e, 'a'));
t(() => EventEmitter.prototype._events);
t(() => Object.keys(new EventEmitter()).join());
t(() => new EventEmitter({ captureRejections: true }));
t(() => { function Old() { EventEmitter.call(this); } require('util').inherits(Old, EventEmitter); const old = new Old(); old.on('x', () => {}); return [old.listenerCount('x'), old instanceof EventEmitter, EventEmitter.prototype.listenerCount('x')]; });
t(() => events.addAbortListener());
t(() => events.addAbortListener(AbortSignal.abort(), 5));
t(() => events.addAbortListener({}, f));
t(() => on(5, 'x'));
t(() => on(e, 'x', { signal: 5 }));
t(() => on(e, 'x', 5));
t(() => on(e, 'x', { highWaterMark: 0 }));
t(() => on(e, 'x', { signal: AbortSignal.abort() }));
t(() => console.log(on(e, 'zz')));
t(() => Object.getOwnPropertyNames(Object.getPrototypeOf(on(e, 'zz'))).join());
(async () => {
    const m = new EventEmitter({ captureRejections: true });
    m.on('x', async () => { throw new Error('async'); });
    m.on('error', (err) => console.log('captured', err.message));
    m.emit('x');
    await new Promise(setImmediate);
    m[Symbol.for('nodejs.rejection')] = (err, name, ...args) => console.log('symbol', err.message, name, args);
    m.emit('x', 1, 2);
    await new Promise(setImmediate);
    const it = on(e, 'data');
    e.emit('data', 1, 2);
    e.emit('data', 3);
    console.log(await it.next(), await it.next());
    const pending = it.next();
    e.emit('data', 'late');
    console.log(await pending);
    e.emit('error', new Error('boom'));
    try { await it.next(); } catch (x) { console.log('threw', x.message); }
    console.log(await it.next(), e.listenerCount('data'), e.listenerCount('error'));
    const ac = new AbortController();
    const it2 = on(e, 'data', { signal: ac.signal });
    const w = it2.next(); ac.abort();
    try { await w; } catch (x) { console.log(x.name, x.code, x.message); }
    console.log(await it2.next());
    const it3 = on(e, 'data');
    const w3 = it3.next();
    console.log(await it3.return(), await w3, await it3.next());
    const it4 = on(e, 'data'); it4.throw(new Error('mine'));
    try { await it4.next(); } catch (x) { console.log('mine?', x.message); }
    try { it4.throw(5); } catch (x) { console.log(x.code, x.message); }
    const it5 = on(et, 'b'); et.dispatchEvent(new Event('b'));
    console.log((await it5.next()).value.map((v) => v.type)); it5.return();
    console.log(getEventListeners(et, 'b').length);
    let seen = []; setImmediate(() => { e.emit('data', 'q');
    e.emit('end'); });
    for await (const v of on(e, 'data', { close: ['end'] })) seen.push(v);
    console.log(seen);
    console.log(await Promise.all([once(et, 'c'), et.dispatchEvent(new Event('c'))]).then(([[ev]]) => ev.type));
    const oc = new AbortController();
    const p = once(e, 'never', { signal: oc.signal }); oc.abort();
    try { await p; } catch (x) { console.log(x.name, x.code, x.message, x.cause?.name); }
    try { await once(e, 'x', { signal: AbortSignal.abort('why') }); } catch (x) { console.log(x.name, x.code, x.message, x.cause); }
    try { await once(5, 'x'); } catch (x) { console.log(x.code, x.message); }
    try { await once(e, 'x', { signal: 5 }); } catch (x) { console.log(x.code, x.message); }
    const q = once(e, 'error');
    e.emit('error', 'val');
    console.log(await q);
    const d = events.addAbortListener(AbortSignal.abort(), () => console.log('aborted already'));
    await null;
    await null;
    const ac2 = new AbortController();
    const d2 = events.addAbortListener(ac2.signal, () => console.log('never')); d2[Symbol.dispose](); ac2.abort();
    console.log(typeof d[Symbol.dispose]);
    const ac3 = new AbortController(); ac3.signal.addEventListener('abort', (ev) => ev.stopImmediatePropagation()); events.addAbortListener(ac3.signal, () => console.log('still')); ac3.abort();
    const hw = on(e, 'data', { highWaterMark: 2, lowWaterMark: 1 }); e.pause = () => console.log('pause'); e.resume = () => console.log('resume');
    e.emit('data', 1);
    e.emit('data', 2);
    e.emit('data', 3);
    await hw.next();
    await hw.next();
    await hw.next(); hw.return();
    console.log(e.listenerCount('data'));
    const many = new EventTarget(); 
    const r = new EventEmitter({ captureRejections: true }); r.on('error', async () => { throw new Error('in error'); }); process.on('uncaughtException', (x) => console.log('uncaught', x.message)); process.on('unhandledRejection', (x) => console.log('unhandled', x.message)); r.emit('error', new Error('z'));
})();
