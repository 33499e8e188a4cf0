// What random values have shown to differ from Node once.
const { inspect } = require('util');
const show = (value, options) => console.log(inspect(value, options));
const without = (value) => Object.setPrototypeOf(value, null);
class Own { get shown() { return 1; } static s = 2; }
class Below extends Own { [Symbol.toStringTag] = 'Tag'; }

// Other prototypes than they had.
for (const make of [() => /x/g, () => new Date(0), () => new Set([1]), () => new Map([[1, 2]]), () => Promise.resolve(1),
    () => new Uint8Array(2), () => Object('text'), () => Object(1n), () => [1], () => new ArrayBuffer(2), () => new WeakMap()]) {
    show(without(make()));
    show({ a: { b: { c: { d: without(make()) } } } });
    show(Object.setPrototypeOf(make(), {}));
}
show(new WeakRef({}));

// Custom texts: lines are indented, and what is no string is shown itself.
const texts = { [inspect.custom]: () => 'two\nlines' };
show({ texts, deeper: { texts: [texts] } });
for (const result of [5, null, undefined, { a: 1 }, 'x'.repeat(90), Symbol('s'), () => {}])
    show([{ [inspect.custom]: () => result }]);
show({ [inspect.custom]: (depth, options) => [depth, options.depth, options.mine] }, { depth: 5, mine: 1 });
const url = new URL('http://user@host:81/path?query#hash');
show({ url, nested: { url: [url], deep: { deeper: { url } } } });
show(url, { customInspect: false });
for (const depth of [0, 1])
    show([[new AbortController(), AbortSignal.abort(), new EventTarget(), new TextEncoder()]], { depth });

// Columns count cells, not letters.
const words = ['日本', 'é', '😀', 'e\u0301', '\u200b', 'plain', 'ｆｕｌｌ', '한국', 'x', 'longer', 'ab', 'cd', '日', 'y'];
show([...words, ...words]);
console.table(words.slice(0, 6).map((word) => ({ word, [word]: 1 })));

// compact: true.
show(Object.assign([1], { 'a key': 'a text that is longer than that', b: () => {} }), { compact: true, breakLength: 20 });
show({ a: 'a text with\nlines that is longer than it may be, by far' }, { compact: true, breakLength: 20 });

// showHidden: what a program's classes inherit; stacks.
show(new Below(), { showHidden: true });
show(Object.create({ inherited: 1, method() {} }, { own: { value: 2 } }), { showHidden: true });
show(Object.create(new Below()), { showHidden: true, getters: true });
show(Object.assign(new Own(), { x: new Own() }), { showHidden: true, colors: true });
const error = new Error('message');
error.stack = 'Error: message\n    at place';
show(Object.assign(error, { code: 1 }), { showHidden: true });
error.message = undefined;
error.name = 5;
show(error);

// The rest.
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
show([proxy], { showProxy: true });
show({ get a() { throw new Error('thrown'); } }, { getters: true, colors: true });
