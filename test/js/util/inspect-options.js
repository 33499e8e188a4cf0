// util.inspect: values and options at random, as Node shows them.
// (No getters of functions: Node 20 fails to show them.)
const { inspect } = require('util');
const random = new (require('../support/random.cjs').Random)(11);
const pick = (list) => random.pick(list);
class Foo { constructor() { this.x = 1; } get y() { return 2; } }
class Bar extends Foo { #p = 1; }
const make = (depth) => {
    switch (depth > 3 ? random.draw('leaf', 9) : random.draw('kind', 24)) {
    case 0: return random.below(1000) - 500; case 1: return pick(['a', "it's", 'a"b\'c', 'x\ny', '\u0000\u001b', 'é', '', 'long '.repeat(20), '`$'.repeat(3)]);
    case 2: return pick([null, undefined, true, NaN, -0, 1e21, 123456.789, 12345678]); case 3: return BigInt(random.below(1e6)) * 1000n; case 4: return pick([Symbol('s'), Symbol.iterator, Symbol('a b'), Symbol()]);
    case 5: return pick([() => {}, function named() {}, class A {}, class B extends Foo {}, async () => {}, function* g() {}, Math.max]); case 6: return new Date(random.below(1e9)); case 7: return pick([/x/g, /a\/b/]); case 8: return pick([new Foo(), new Bar()]);
    case 9: case 10: case 11: return Array.from({ length: random.below(9) }, () => make(depth + 1)); case 12: case 13: case 14: { const o = {}; for (let n = random.below(7); n--;) o[pick(['a', 'b', 'key', 'some-key', '1', 'très', 'k' + n])] = make(depth + 1); return o; }
    case 15: return new Map(Array.from({ length: random.below(4) }, () => [make(depth + 1), make(depth + 1)])); case 16: return new Set(Array.from({ length: random.below(5) }, () => make(depth + 1))); case 17: { const o = { a: 1 }; o.self = o; o.deep = { o }; return o; }
    case 18: return Object.assign(Object.create(null), { n: make(depth + 1) }); case 19: return pick([new Uint8Array(random.below(9)), new Float32Array(3), Buffer.from('abc'), new ArrayBuffer(4)]); case 20: return Object.defineProperty({ get g() { return pick([1, 'a', null, [1], { a: 1 }]); }, set s(v) {}, get b() { return 1; }, set b(v) {} }, 'hid', { value: 1 });
    case 21: { const a = Array.from({ length: random.below(130) }, () => pick([1, 22, 333, 'str'])); if (random.below(2)) delete a[random.below(5)]; return a; } case 22: return pick([new Number(3), new String('ab'), Object(1n), Object(Symbol('q')), Promise.resolve(4), new WeakMap(), [, , 1], Object.assign([1], { extra: true }), Object.assign(() => {}, { p: 1 })]);
    default: return new Proxy({ a: make(depth + 1) }, {});
    }
};
for (let i = 0; i < 500; i++) {
    const value = make(0), options = {};
    for (let n = random.draw('options', 5); n--;) Object.assign(options, [{ depth: random.below(4) }, { depth: null }, { compact: false }, { compact: true }, { compact: random.below(5) }, { breakLength: pick([20, 60, 120, Infinity]) }, { colors: true }, { sorted: true }, { getters: true }, { getters: 'get' }, { showProxy: true }, { maxArrayLength: random.below(6) }, { maxStringLength: random.below(12) }, { numericSeparator: true }, { customInspect: false }][random.draw('option', 15)]);
    let text; try { text = inspect(value, options); } catch (e) { text = 'THROWS ' + e.message; }
    console.log(i, JSON.stringify(options), text);
}
