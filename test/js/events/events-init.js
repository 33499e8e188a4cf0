// Event.initEvent: what it changes, and when it does nothing.
const e = new Event('a', { cancelable: true });
e.initEvent('b', 1, 0); console.log(e.type, e.bubbles, e.cancelable, e.initEvent.length);
e.initEvent(5); console.log(e.type, e.bubbles, e.cancelable);
try { e.initEvent() } catch (x) { console.log(x.code, x.message) }
const t = new EventTarget(); t.addEventListener('5', (v) => { v.initEvent('late', true); console.log(v.type, v.bubbles); }); t.dispatchEvent(e);
const p = new Event('p', { cancelable: true }); p.preventDefault(); p.stopPropagation(); p.initEvent('p2', false, true); console.log(p.defaultPrevented, p.cancelBubble);
try { Event.prototype.initEvent.call({}, 'a') } catch (x) { console.log(x.name) }
console.log(e.initEvent('a'), new CustomEvent('c').initEvent('d'));
