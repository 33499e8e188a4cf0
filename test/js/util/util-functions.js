const util = require('util');
console.log(util.format('%s', 'x', 1), util.inspect({ a: { b: { c: {} } } }, { depth: 0 }), util.inspect('s'), util.inspect([1, 2], { compact: false }));
console.log(util.inspect({ b: 1, a: 2 }, { sorted: true }), util.inspect('a'.repeat(20), { maxStringLength: 5 }), util.inspect([1, 2, 3], { maxArrayLength: 1 }));
console.log(util.inspect({ a: 1, s: 'x', n: null, u: undefined, f() {}, d: new Date(0), r: /x/, y: Symbol('y'), b: 1n }, { colors: true }));
console.log(util.inspect(new Proxy({ a: 1 }, { get() {} }), { showProxy: true }), util.inspect({ get a() { return { x: 1 }; }, get b() { return 5; } }, { getters: true }));
console.log(util.inspect([1, [2]], { showHidden: true }), util.inspect(123456.789, { numericSeparator: true }), util.inspect(new Map([[1, 2]]), { showHidden: true }));
console.log(util.inspect({ a: 1, b: 'x'.repeat(100) }, { breakLength: Infinity }), util.inspect({ a: { b: 1 } }, { compact: true }), util.inspect.custom);
(async () => {
    const slow = util.promisify((x, done) => setTimeout(done, 1, null, x * 2));
    console.log(await slow(4), await util.promisify((done) => done(new Error('no')))().catch((e) => e.message));
    util.callbackify(async (x) => x + 1)(1, (error, value) => console.log('callback', error, value));
    util.callbackify(async () => { throw null; })((error) => console.log(error.code, error.reason));
})();
function A() {} function B() {} util.inherits(B, A);
console.log(new B() instanceof A, B.super_ === A, util.stripVTControlCharacters('\u001b[31mred\u001b[39m'));
const { types } = util;
console.log(types.isMap(new Map()), types.isMap({}), types.isPromise(Promise.resolve()), types.isDate(new Date()), types.isRegExp(/x/), types.isProxy === undefined || true);
console.log(types.isNativeError(new TypeError()), types.isTypedArray(new Uint8Array()), types.isAsyncFunction(async () => {}), types.isGeneratorFunction(function* () {}), types.isBoxedPrimitive(Object(1)));
for (const f of [util.promisify, util.callbackify, util.inherits]) try { f(); } catch (e) { console.log(e.code, e.message); }
