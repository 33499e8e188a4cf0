const EventEmitter = require('events');
const { once, errorMonitor } = EventEmitter;
const e = new EventEmitter();
const log = (...args) => console.log(...args);
e.on('newListener', (name, fn) => log('new', name, fn.name));
e.on('removeListener', (name, fn) => log('removed', name, fn.name));
function a(...args) { log('a', this === e, ...args); }
function b() { log('b'); e.removeListener('x', b); }
e.on('x', a).once('x', function c() { log('c'); }).prependListener('x', b);
log(e.emit('x', 1, 2), e.emit('x'), e.emit('nothing'));
log(e.eventNames(), e.listenerCount('x'), e.listeners('x'), e.rawListeners('x').length);
e.removeAllListeners('x'); log(e.listenerCount('x'));
for (const thrown of [new Error('boom'), 'text', undefined, { a: 1 }])
    try { e.emit('error', thrown); } catch (error) { log(error.code, error.message, error.context); }
e.on(errorMonitor, (error) => log('monitor', error.message));
e.on('error', (error) => log('handled', error.message)); e.emit('error', new Error('seen'));
for (const bad of [undefined, 5, {}]) try { e.on('x', bad); } catch (error) { log(error.code, error.message); }
try { e.setMaxListeners(-1); } catch (error) { log(error.code, error.message); }
log(e.getMaxListeners(), EventEmitter.defaultMaxListeners, EventEmitter.EventEmitter === EventEmitter);
class Sub extends EventEmitter {} const s = new Sub();
s.on('grow', function grow() { log('grow'); s.on('grow', () => log('not yet')); }); s.emit('grow'); log(s.listenerCount('grow'));
(async () => {
    setTimeout(() => s.emit('later', 1, 2), 1); log(await once(s, 'later'));
    setTimeout(() => s.emit('error', new Error('rejects')), 1); await once(s, 'never').catch((error) => log(error.message));
})();
// The methods on an object of another kind; the two names of one method.
const borrowed = EventEmitter.prototype.on.call({ own: 1 }, 'x', function () { console.log('called', this.own); });
console.log(borrowed);
EventEmitter.prototype.emit.call(borrowed, 'x');
console.log(EventEmitter.prototype.listenerCount.call(borrowed, 'x'), EventEmitter.prototype.on === EventEmitter.prototype.addListener,
    EventEmitter.prototype.off === EventEmitter.prototype.removeListener);
console.log(Object.keys(EventEmitter.prototype).sort().join());
// A list that has become too long is warned of once, even if it changes.
const crowded = new EventEmitter();
for (let i = 0; i < 11; i++)
    crowded.on('x', a);
crowded.off('x', a).on('x', a);
process.on('warning', ({ name, count }) => log(name, count));
class Counting extends EventEmitter { getMaxListeners() { throw new Error('not asked'); } }
console.log(new Counting().on('x', () => {}).listenerCount('x'));
