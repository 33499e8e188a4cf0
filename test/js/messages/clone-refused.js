// How what cannot be cloned is named, and errors whose stack is no text.
class Named extends WeakMap {}
class Texts extends WeakMap { toString() { return 'mine'; } }
for (const value of [Object(Symbol('boxed')), [][Symbol.iterator](), new Map().entries(), (function* () {})(), new WeakMap(),
    new Named(), new Texts(), new (class extends WeakMap {})(), Promise.resolve(), new WeakRef({}), Symbol('symbol'),
    Object.setPrototypeOf(new WeakMap(), null), Object.setPrototypeOf(new WeakMap(), { constructor: 5 }),
    Object.setPrototypeOf(new WeakSet(), { get constructor() { throw new Error('asked'); }, toString: 1 }),
    new Proxy({}, {}), new Proxy([], {}), new Proxy(() => {}, {}), new Proxy(new Proxy(Named, {}), {}), Math.max,
    (function () {}).call, async () => { await 1; }])
    try {
        console.log(structuredClone(value));
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
for (const error of [Object.assign(new Error('a'), { stack: undefined }), Object.assign(new TypeError('b'), { stack: 5 })]) {
    const clone = structuredClone(error);
    console.log(clone.name, clone.message, clone.stack, [clone]);
}
try { structuredClone(); } catch ({ name, code, message }) { console.log(name, code, message); }
