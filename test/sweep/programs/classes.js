// Classes with everything in them.
const key = 'computed', symbol = Symbol('s');
class Base {
    #secret = 1; static #count = 0; field = this.#secret + 1; static made = []; [key] = 3; 'quoted' = 4;
    constructor(...all) { Base.#count++; this.all = all; new.target.made.push(this.#secret); }
    get secret() { return this.#secret; } set secret(v) { this.#secret = v; }
    get #hidden() { return 1; } set #hidden(v) { } #private() { return this.#hidden; }
    static #own() { return Base.#count; } static own() { return this.#own(); }
    *[Symbol.iterator]() { yield* this.all; } async later() { return this.#private(); }
    async *stream() { yield this.#secret; } [symbol]() { return super.toString(); }
    static { this.ready = () => this.#count; }
    has(o) { return #secret in o; } static accessor = 1;
}
class Derived extends Base {
    static made = []; own = (() => super.secret)();
    constructor(a) { const f = () => super(a, 1); f(); this.secret += 2; super.secret = 3; }
    get secret() { return super.secret; } set secret(v) { super.secret = v; }
    has(o) { return super.has(o) && super[symbol](); } static own() { return Base.own(); }
}
const d = new Derived(5); d.secret++; [...d]; d.has(d); Derived.own(); Base.ready(); d.later();
(class Named extends null { static who() { return Named; } }).who();
class MyError extends Error { constructor(m, o) { super(m, o); this.name = 'MyError'; } }
try { throw new MyError('own', { cause: d }); } catch (e) { e.stack; }
class MyArray extends Array { } new MyArray(1, 2, 3).map((n) => n + 1).filter(Boolean).concat([1]);
class MyMap extends Map { get(k) { return super.get(k) ?? 0; } } new MyMap([[1, 2]]).get(1);
class MyPromise extends Promise { } MyPromise.resolve(1).then(() => 2).finally(() => 3);
