// virtual clock
const log = (...args) => console.log(...args);
const t = new EventTarget();
const fn = function (e) { log('fn', this === t, e.type, e.target === t, e.currentTarget === t, e.eventPhase); };
t.addEventListener('x', fn); t.addEventListener('x', fn); t.addEventListener('x', { handleEvent(e) { log('object', e.type); } });
t.addEventListener('x', () => log('once'), { once: true });
t.addEventListener('x', (e) => { e.preventDefault(); log(e.defaultPrevented, e.cancelable); }, { passive: false });
log(t.dispatchEvent(new Event('x', { cancelable: true })), t.dispatchEvent(new Event('x')));
t.removeEventListener('x', fn); t.dispatchEvent(new Event('x'));
t.addEventListener('y', (e) => { e.stopImmediatePropagation(); log('first'); }); t.addEventListener('y', () => log('never')); t.dispatchEvent(new Event('y'));
const event = new CustomEvent('c', { detail: { a: 1 }, bubbles: true });
log(event.detail, event.bubbles, event instanceof Event, event.target, event.eventPhase, typeof event.timeStamp, event.isTrusted, Event.AT_TARGET, String(event));
t.addEventListener('re', (e) => { try { t.dispatchEvent(e); } catch (error) { log(error.code); } }); t.dispatchEvent(new Event('re'));
for (const bad of [() => new Event(), () => t.addEventListener(), () => t.dispatchEvent({}), () => t.addEventListener('x', 5), () => new AbortSignal(), () => EventTarget.prototype.addEventListener.call({}, 'x', fn)])
    try { bad(); log('no error'); } catch (error) { log(error.name, error.code); }
const c = new AbortController(); const { signal } = c;
signal.onabort = (e) => log('onabort', e.type, e.isTrusted); signal.addEventListener('abort', () => log('listener'));
log(signal.aborted, signal.reason, c); c.abort(); c.abort('again'); log(signal.aborted, signal.reason.name, signal.reason.message, signal.reason.code);
try { signal.throwIfAborted(); } catch (error) { log(error === signal.reason); }
const d = new AbortController(), any = AbortSignal.any([new AbortController().signal, d.signal]);
any.addEventListener('abort', () => log('any', any.reason)); d.abort('why'); log(AbortSignal.any([any]).aborted, AbortSignal.abort(5).reason);
const e2 = new AbortController(); t.addEventListener('z', () => log('never'), { signal: e2.signal }); e2.abort(); t.dispatchEvent(new Event('z'));
const timed = AbortSignal.timeout(40); timed.addEventListener('abort', () => log(timed.reason.name)); setTimeout(() => log('end'), 300);
process.on('uncaughtException', (error) => log('uncaught', error.message)); t.addEventListener('boom', () => { throw new Error('in listener'); }); t.addEventListener('boom', () => log('next')); log(t.dispatchEvent(new Event('boom')));
(async () => { const { setTimeout: wait } = require('timers/promises'); const ac = new AbortController(); setTimeout(() => ac.abort(), 1); await wait(1e6, 0, { signal: ac.signal }).catch((error) => log(error.name, error.code)); })();
try { new EventTarget().dispatchEvent(); } catch (error) { console.log(error.name, error.code, error.message); }
