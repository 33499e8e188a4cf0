const show = (value) => console.log(value);
const all = { u: undefined, n: null, b: true, i: 1, f: -0, big: 5n, s: 'text', d: new Date(5), r: /x+/gi, list: [1, [2]], map: new Map([[{ k: 1 }, new Set([1])]]), box: [Object(1), Object('s'), Object(true), Object(2n)] };
show(structuredClone(all)); show(structuredClone(all).d !== all.d);
const cycle = { a: [] }; cycle.self = cycle; cycle.a.push(cycle, cycle.a); const copy = structuredClone(cycle); show(copy); show([copy.self === copy, copy.a[1] === copy.a]);
const shared = {}; const twice = structuredClone([shared, shared]); show(twice[0] === twice[1]);
const sparse = [1, , 3]; sparse.extra = 'x'; show(structuredClone(sparse)); show(1 in structuredClone(sparse));
class Point { constructor() { this.x = 1; } get y() { return 2; } } show(structuredClone(new Point())); show(structuredClone(new Point()) instanceof Point);
show(structuredClone({ get a() { return 'got'; }, [Symbol('s')]: 1, ['__proto__']: 5 }));
for (const error of [new Error('m'), new TypeError('t', { cause: { c: 1 } }), Object.assign(new RangeError('r'), { code: 5 }), Object.assign(new Error('n'), { name: 'Own' })]) {
    const c = structuredClone(error); show([c.name, c.message, c instanceof Error, Object.getPrototypeOf(c).name, c.cause, c.code, typeof c.stack]);
}
const bytes = new Uint8Array([1, 2, 3, 4]); const view = structuredClone({ bytes, sub: bytes.subarray(1, 3), dv: new DataView(bytes.buffer, 1, 2), buffer: bytes.buffer });
show(view); show([view.bytes.buffer === view.buffer, view.sub.buffer === view.buffer, view.buffer !== bytes.buffer]);
const sab = new SharedArrayBuffer(4); new Int32Array(sab)[0] = 7; show(new Int32Array(structuredClone(sab))[0]);
const buffer = new ArrayBuffer(8); const moved = structuredClone({ buffer, v: new Uint16Array(buffer, 2, 2) }, { transfer: [buffer] });
show([buffer.byteLength, moved.buffer.byteLength, moved.v.length, moved.v.byteOffset, moved.v.buffer === moved.buffer]);
for (const bad of [() => structuredClone(), () => structuredClone(() => {}), () => structuredClone(Symbol('x')), () => structuredClone({ f() {} }), () => structuredClone(new WeakMap()), () => structuredClone(Promise.resolve()), () => structuredClone(1, { transfer: [{}] }), () => { const b = new ArrayBuffer(1); structuredClone(1, { transfer: [b, b] }); }, () => structuredClone({ get a() { throw new RangeError('getter'); } })])
    try { bad(); show('no error'); } catch (error) { show([error.name, error.code, error instanceof DOMException]); }
const whole = new ArrayBuffer(4); try { structuredClone([whole, () => {}], { transfer: [whole] }); } catch { show(whole.byteLength); }
