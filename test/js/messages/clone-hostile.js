// Values that fight back: an exception, or a copy; never a crash.
function attempt(name, act) {
    try {
        console.log(name, act());
    } catch (error) {
        console.log(name, error?.name, error instanceof DOMException);
    }
}

// Depth and size.
let deep = null;
for (let i = 0; i < 500; i++)
    deep = i % 2 ? [deep] : { deep };
attempt('deep', () => {
    let copy = structuredClone(deep), depth = 0;
    for (; copy !== null; depth++)
        copy = Array.isArray(copy) ? copy[0] : copy.deep;
    return depth;
});
const many = Array.from({ length: 50000 }, (_, i) => ({ i }));
many.push(many[0], many);
attempt('many', () => {
    const copy = structuredClone(many);
    return [copy.length, copy[49999].i, copy[50000] === copy[0], copy[50001] === copy];
});
attempt('long text', () => structuredClone('é'.repeat(100000)).length);
attempt('surrogates', () => structuredClone(['\ud800', 'a\udc00b', '😀', '\u0000', 'ÿ', '\uffff'])
    .map((text) => [...text].map((c) => c.codePointAt(0))));
attempt('keys', () => structuredClone({ '': 1, '😀': 2, 4294967295: 3, '-0': 4, '01': 5, 7: 6, constructor: 7, hasOwnProperty: 8 }));
attempt('numbers', () => structuredClone([0, -0, NaN, Infinity, 2 ** 31, -(2 ** 31), 1e300, 2n ** 63n, -(2n ** 63n), 2n ** 200n, -(10n ** 50n), 0n]));
attempt('sparse', () => {
    const list = [];
    list[4294967294] = 'end';
    list.name = 'x';
    const copy = structuredClone(list);
    return [copy.length, copy[4294967294], copy.name, Object.keys(copy).length];
});

// Getters that change what is being cloned.
attempt('getter throws', () => structuredClone({ get a() { throw new RangeError('x'); } }));
attempt('getter removes', () => structuredClone({ get a() { delete this.b; return 1; }, b: 2, c: 3 }));
attempt('getter adds', () => structuredClone({ get a() { this.z = 1; return 1; }, c: 3 }));
attempt('getter shrinks', () => {
    const list = [{ get x() { list.length = 1; return 1; } }, 2, 3];
    const copy = structuredClone(list);
    return [copy.length, 1 in copy];
});
attempt('getter grows', () => {
    const list = [{ get x() { list.push(9); return 1; } }, 2];
    return structuredClone(list);
});
attempt('fresh objects', () => structuredClone({ get a() { return { a: 1 }; }, get b() { return { b: 2 }; }, get c() { return []; } }));
attempt('map changes', () => {
    const map = new Map([[1, { get x() { map.clear(); return 5; } }], [2, 3]]);
    return structuredClone(map);
});

// Things that look like others.
attempt('fake array', () => structuredClone(Object.create(Array.prototype, { length: { value: 3, enumerable: true } })));
attempt('fake date', () => structuredClone(Object.create(Date.prototype)));
attempt('array with no prototype', () => Array.isArray(structuredClone(Object.setPrototypeOf([1], null))));
attempt('date with a lie', () => structuredClone(Object.assign(new Date(5), { getTime: () => 7 })).getTime());
attempt('map with a lie', () => structuredClone(Object.assign(new Map([[1, 2]]), { forEach: null, size: 9 })));
attempt('arguments', () => structuredClone((function () { return arguments; })(1, 2)));
attempt('proxy', () => structuredClone(new Proxy([], { get() { throw 1; } })));
attempt('proxy inside', () => structuredClone({ p: new Proxy({}, {}) }));
attempt('function inside', () => structuredClone(new Map([[{ f() {} }, 1]])));
attempt('generator', () => structuredClone((function* () {})()));
attempt('weak', () => structuredClone(new WeakRef({})));
attempt('symbol box', () => structuredClone(Object(Symbol())));
attempt('global', () => structuredClone(globalThis));
attempt('class', () => structuredClone(new (class A { x = 1; #y = 2; static z = 3; })()));
attempt('null prototype', () => structuredClone({ __proto__: null, a: 1 }));
attempt('own __proto__', () => Object.keys(structuredClone(JSON.parse('{"__proto__": {"x": 1}}'))));

// Prototypes that were spoiled do not run.
Object.defineProperty(Object.prototype, 'trap', { set() { throw new Error('setter ran'); }, configurable: true });
attempt('setter', () => structuredClone({ ['trap']: 1, a: { trap: 2 } }).a.trap);
delete Object.prototype.trap;

// Transfer.
const gone = structuredClone(new ArrayBuffer(2));
gone.transfer?.() ?? structuredClone(gone, { transfer: [gone] });
attempt('detached', () => structuredClone(gone));
attempt('view of detached', () => structuredClone(new Uint8Array(structuredClone(new ArrayBuffer(1)))));
for (const list of [5, 'ab', {}, null, [null], [1], [new SharedArrayBuffer(1)], [new Uint8Array(1)], [[]], new Set()])
    attempt('list', () => structuredClone(1, { transfer: list }));
attempt('list throws', () => structuredClone(1, { get transfer() { throw new RangeError('x'); } }));
attempt('list of all', () => {
    const { port1 } = new MessageChannel(), buffer = new ArrayBuffer(8);
    const copy = structuredClone({ port1, buffer }, { transfer: new Set([port1, buffer]) });
    copy.port1.close();
    return [copy.buffer.byteLength, buffer.byteLength, copy.port1 instanceof MessagePort];
});

// A proxy among the prototypes is not asked, and nothing is left of what it would
// throw.
structuredClone(new Blob([]));
attempt('proxy as prototype', () => structuredClone(Object.create(new Proxy({}, {
    has() { throw 1; }, getPrototypeOf() { throw 2; },
    getOwnPropertyDescriptor() { throw 3; } }))));
const server = require('net').createServer().listen(0, () => {
    console.log('listening');
    server.close();
});
