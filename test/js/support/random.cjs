// Random numbers that a test can repeat, and a count of what they decided.
//
//     const { Random } = require('../support/random.cjs');
//     const random = new Random(11);
//     random.below(100)                                  0 .. 99
//     random.pick(list)                                  one of its elements
//     random.draw('kind', 24)                            the same as below(), counted
//     random.choose('byte', [0x41, 0x80])                the same as pick(), counted
//     random.weigh('how', { exit: 1, plain: 98 })        a key, by weight, counted
//     random.happens('abort', 4)                         once in four times, counted
//     random.expect('outcome', ['fulfilled', 'rejected'])
//     random.note('outcome', 'rejected')                 not drawn, but counted
//
// WEIR_SEED from the environment replaces the seed.  A test whose output does
// not depend on the seed gives none, and then every run has another one.  At
// exit the seed and the counts are printed on stderr, and a program in which
// one of the choices was never taken says so on stdout and fails.
'use strict';

const all = [];
process.on('exit', () => all.forEach((random) => random.report()));

class Random {
    #state;
    #branches = new Map();

    constructor(seed = Date.now()) {
        this.seed = Number(process.env.WEIR_SEED ?? seed);
        this.#state = this.seed | 0;
        all.push(this);
    }

    // splitmix (Steele, Lea and Flood 2014) on 32 bits, with the finalizer of
    // MurmurHash3.  Math.imul keeps the low bits that a product of doubles
    // would lose.
    next() {
        let z = this.#state = (this.#state + 0x9e3779b9) | 0;
        z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
        z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
        return (z ^ (z >>> 16)) >>> 0;
    }

    below(limit) {
        return this.next() % limit;
    }

    pick(list) {
        return list[this.below(list.length)];
    }

    draw(name, limit) {
        if (!this.#branches.has(name))
            this.expect(name, [...Array(limit).keys()]);
        return this.note(name, this.below(limit));
    }

    // Of strings and numbers: by them it is counted.
    choose(name, list) {
        this.expect(name, list);
        return this.note(name, this.pick(list));
    }

    weigh(name, weights) {
        const entries = Object.entries(weights);
        this.expect(name, Object.keys(weights));
        let at = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
        return this.note(name, entries.find(([, weight]) => (at -= weight) < 0)[0]);
    }

    happens(name, times) {
        this.expect(name, [true, false]);
        return this.note(name, this.below(times) === 0);
    }

    expect(name, values) {
        if (!this.#branches.has(name))
            this.#branches.set(name, new Map(values.map((value) => [value, 0])));
    }

    note(name, value, times = 1) {
        const counts = this.#branches.get(name);
        counts.set(value, (counts.get(value) ?? 0) + times);
        return value;
    }

    // "name: value" of each choice that was never taken.
    untaken() {
        return [...this.#branches].flatMap(([name, counts]) =>
            [...counts].filter(([, count]) => count === 0).map(([value]) => `${name}: ${String(value)}`));
    }

    report() {
        console.error(`# WEIR_SEED=${this.seed}`);
        for (const [name, counts] of this.#branches)
            console.error(`# ${name}: ${[...counts].map(([value, count]) => `${String(value)} ${count}`).join(', ')}`);
        for (const choice of this.untaken()) {
            console.log(`never taken: ${choice}`);
            process.exitCode = 1;
        }
    }
}

module.exports = { Random };
