// Errors: the head of the stack, causes, properties; frames are cut off.
const cut = (text) => text.replace(/\n\s+at .*/g, '').replace(/\n\s+\.\.\. \d+ lines.*/g, '');
const { inspect } = require('util');
const show = (value) => console.log(cut(inspect(value)));
show(new Error('plain'));
show(new TypeError('typed'));
show(new Error(''));
show(Object.assign(new Error('props'), { code: 'E', n: 1 }));
show(new Error('outer', { cause: new RangeError('inner') }));
show(new Error('outer', { cause: 'text' }));
show(new AggregateError([new Error('a'), 2], 'many'));
class MyError extends Error {}
show(new MyError('mine'));
class Named extends Error { constructor(m) { super(m); this.name = 'Renamed'; } }
show(new Named('named'));
show({ error: new Error('nested') });
show([new Error('in array')]);
const bare = new Error('no stack'); bare.stack = undefined; show(bare);
const own = new Error('x'); own.stack = 'own stack'; show(own);
const changed = new Error('before'); console.log(typeof changed.stack, changed.stack.startsWith('Error: before\n    at '));
console.log(Object.keys(new Error('k')), 'stack' in new Error('s'), String(new Error('str')));
try { null.x; } catch (e) { console.log(e.name, e instanceof TypeError, e.constructor === TypeError); }
console.log(cut(new Error('m').stack), cut(new MyError('m').stack));
console.log(inspect(new Error('one line')).split('\n')[0]);
