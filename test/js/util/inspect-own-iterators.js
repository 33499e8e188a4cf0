// A Map or Set is shown by its own iterator, and counted by its class's.
class Odd extends Set {
    *[Symbol.iterator]() { yield 'x'; yield 'y'; }
    *values() { yield 'v'; }
    get size() { return 7; }
}
console.log(new Odd([1]), new Odd());
console.log(require('util').inspect(new Odd([1]), { maxArrayLength: 1 }));

class Pairs extends Map {
    *[Symbol.iterator]() { yield ['k', { v: 1 }]; yield ['l', 2, 3]; }
    get size() { return 1; }
}
console.log(new Pairs([[1, 1]]), [new Pairs()]);
console.log(require('util').inspect(new Pairs([[1, 1]]), { maxArrayLength: 0 }));

class Throws extends Set {
    [Symbol.iterator]() { throw new Error('no iterator'); }
}
try {
    console.log(new Throws([1]));
} catch (error) {
    console.log(error.message);
}
class Sized extends Set {
    get size() { throw new Error('no size'); }
}
try {
    console.log(new Sized([1]));
} catch (error) {
    console.log(error.message);
}
