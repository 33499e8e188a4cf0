// Classes, closures and generators.
const made = [];
for (let i = 0; i < 300; i++) {
    class A { #p = i; static s = [i]; get p() { return this.#p; } *[Symbol.iterator]() { yield this.#p; } async q() { return this.#p; } }
    class B extends A { constructor() { super(); this.more = { i, list: [...this] }; } get p() { return super.p + 1; } }
    made.push(new B());
}
(async () => { let sum = 0; for (const b of made) sum += await b.q() + b.p; console.log(sum, 'done'); })();
