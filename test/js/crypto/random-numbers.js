// The generator of these tests: each number is drawn as often as the others, a
// seed repeats a series, and a choice that was never taken is found.
const { Random } = require('../support/random.cjs');
delete process.env.WEIR_SEED;

// Within a sixth of the mean, which is at least seven standard deviations.
const isEven = (counts, mean) => counts.every((count) => Math.abs(count - mean) < mean / 6);
for (const limit of [2, 3, 4, 18, 50, 100, 256]) {
    const random = new Random(limit), singles = new Array(limit).fill(0), pairs = new Array(4).fill(0);
    for (let i = 0; i < limit * 4000; i++) {
        const one = random.below(limit), other = random.below(limit);
        singles[one]++;
        pairs[2 * (one & 1) + (other & 1)]++;
    }
    const odd = Math.floor(limit / 2), even = limit - odd;
    const weights = [even * even, even * odd, odd * even, odd * odd];
    console.log(limit, isEven(singles, 4000),
        isEven(pairs.map((count, i) => count / weights[i]), 4000 / limit));
}

const series = (seed) => { const random = new Random(seed); return Array.from({ length: 5 }, () => random.next()); };
console.log(series(7).join() === series(7).join(), series(7).join() === series(8).join());
process.env.WEIR_SEED = '8';
console.log(new Random(7).seed, series(7).join() === series(8).join());
delete process.env.WEIR_SEED;
console.log(series(1));

const random = new Random(2);
random.expect('outcome', ['good', 'bad']);
random.note('outcome', 'good');
for (let i = 0; i < 100; i++) {
    random.choose('letter', ['a', 'b', 'c']);
    random.weigh('kind', { often: 9, rarely: 1 });
    random.happens('storm', 4);
}
console.log(random.untaken());
random.note('outcome', 'bad');
console.log(random.untaken());
console.log(random.pick(['x']), random.happens('always', 1), random.untaken());
random.note('always', false);

// long: address
