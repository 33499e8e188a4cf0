// isDeepStrictEqual and assert.deepEqual, each value with each.
const assert = require('assert');
const { isDeepStrictEqual } = require('util');
const cycle = (depth) => {
    const a = { n: 1 };
    a.self = depth === 0 ? a : { n: 1, self: a };
    return a;
};
class A { constructor() { this.x = 1; } }
class B { constructor() { this.x = 1; } }
const make = () => [1, '1', 0, -0, NaN, null, undefined, true, 'a', 1n, Symbol.for('s'), {}, [], { a: 1 }, { a: '1' }, { a: undefined }, { b: undefined }, [1], ['1'],
    [1, 2], [1, , 2], [1, undefined, 2], Object.assign([1], { x: 1 }), { 0: 1, length: 1 }, new A(), new B(), { x: 1 }, Object.create(null), Object.assign(Object.create(null), { a: 1 }),
    new Date(0), new Date(1), new Date(NaN), /a/, /a/g, /b/, new Error('a'), new Error('b'), new TypeError('a'), new Error('a', { cause: 1 }), Object.assign(new Error('a'), { x: 1 }),
    new AggregateError([1], 'a'), new Set(), new Set([1]), new Set(['1']), new Set([1, 2]), new Set([2, 1]), new Set([{ a: 1 }]), new Set([{ a: '1' }]), new Set([{ a: 1 }, { a: 2 }]),
    new Set([{ a: 2 }, { a: 1 }]), new Set([[1], [2]]), new Set([null]), new Set([undefined]), new Map(), new Map([[1, 2]]), new Map([['1', 2]]), new Map([[1, '2']]), new Map([[{ a: 1 }, 1]]), new Map([[{ a: '1' }, 1]]),
    new Map([[1, { a: 1 }], [2, { a: 2 }]]), new Map([[2, { a: 2 }], [1, { a: 1 }]]), new Map([[null, 1]]), new Map([[undefined, 1]]), new Uint8Array([1, 2]), new Uint8Array([1, 3]), new Int8Array([1, 2]),
    Buffer.from([1, 2]), new Float32Array([0]), new Float32Array([-0]), new Float32Array([NaN]), new ArrayBuffer(2), new ArrayBuffer(3), new SharedArrayBuffer(2), new DataView(new ArrayBuffer(2)),
    new Number(1), new Number(2), new String('a'), new Boolean(true), Object(1n), Object(Symbol.for('s')), new Number(-0), new Number(0), cycle(0), cycle(0), cycle(1), { [Symbol.for('k')]: 1 }, { [Symbol.for('k')]: 2 },
    Object.defineProperty({}, 'hidden', { value: 1 }), Object.assign(new Map([[1, 2]]), { x: 1 }), Object.assign(new Set([1]), { x: 1 }), (function () { return arguments; })(1), Math.max, JSON, new Proxy({ a: 1 }, {}),
    new Array(3), [undefined, undefined, undefined], { a: { b: { c: [1, { d: 2 }] } } }, { a: { b: { c: [1, { d: 3 }] } } }, Promise.resolve(1), { get a() { return 1; } }];
const left = make(), right = make();
for (const [i, a] of left.entries()) {
    let row = '';
    for (const b of right) {
        let loose = true;
        try {
            assert.deepEqual(a, b);
        } catch (error) {
            loose = error.code === 'ERR_ASSERTION' ? false : error;
        }
        const strict = isDeepStrictEqual(a, b);
        row += strict ? (loose ? '=' : 's') : loose === true ? '~' : loose === false ? '.' : '!';
    }
    console.log(String(i).padStart(3), row);
}

// long: address
