// A message of one's own: with the difference, where there is one to show.
const assert = require('assert');
const pairs = [[1, 2], [-0, 0], ['a\nb', 'a\nc'], [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 1 }], [[1, 2, 3], [1, 2, 4]], ['x'.repeat(30) + 'a', 'x'.repeat(30) + 'b'],
    [() => {}, () => {}], [Array(40).fill(1), Array(40).fill(1).with(20, 2)], [new Map([[1, 2]]), new Map([[1, 3]])], [null, undefined]];
for (const [actual, expected] of pairs)
    for (const message of ['own', '', 5, 'two\nlines'])
        for (const name of ['strictEqual', 'deepStrictEqual', 'equal', 'deepEqual', 'notStrictEqual', 'notDeepStrictEqual'])
            try {
                assert[name](actual, name.startsWith('not') ? actual : expected, message);
            } catch (error) {
                console.log(name, error.generatedMessage, error.message);
            }
