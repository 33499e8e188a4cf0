// Built-in objects and their methods.
const list = Array.from({ length: 40 }, (_, i) => i % 7);
list.sort((a, b) => a - b); list.toSorted(); list.flatMap((n) => [n, [n]]).flat(); list.splice(3, 4, 'a', 'b'); list.concat(list, [1]).reverse();
list.slice(2).map(String).join(); list.copyWithin(0, 3); list.with(1, 2); list.findLast((n) => n === 3); Object.groupBy(list, (n) => typeof n);
list.length = 100; list[200] = 1; list.unshift(1, 2, 3); list.push(...list.slice(0, 50)); list.toSpliced(1, 2, 3); list.entries().toArray?.();
const map = new Map(Array.from(list, (n) => [n, { n }])), set = new Set(list), weak = new WeakMap([[map, 1]]);
map.forEach((v, k) => weak.set(v, k)); set.union?.(new Set([1, 'z'])); [...map.keys()]; new WeakSet([map]).has(map); new WeakRef(map).deref();
new FinalizationRegistry(() => { }).register(map, 1, set); map.delete(1); set.clear();
JSON.parse('{"a":[1,2.5,"x\\u0041",null,true,{"b":{}}],"c":-1e5}', (k, v) => v);
JSON.stringify({ a: [1, 'x\n', null, { toJSON() { return 1n.toString(); } }], [Symbol()]: 1, d: new Date(0) }, null, 2);
try { JSON.parse('{"a":'); } catch (e) { e.stack; }
const buffer = new ArrayBuffer(64, { maxByteLength: 128 }), bytes = new Uint8Array(buffer), view = new DataView(buffer);
bytes.set([1, 2, 3]); bytes.subarray(1, 3).map((b) => b + 1).sort(); view.setFloat64(8, 1.5); buffer.resize(100); buffer.slice(1); buffer.transfer(10).transfer().transferToFixedLength(20).transfer(0);
new Float64Array([1, 2, 3]).toReversed(); new BigInt64Array(2).fill(3n); new SharedArrayBuffer(8); Uint8Array.from('123').toHex?.();
const proxy = new Proxy({ a: 1 }, { get: (t, k) => Reflect.get(t, k), ownKeys: (t) => Reflect.ownKeys(t), has: () => true, set: () => true });
proxy.a; Object.keys(proxy); 'x' in proxy; proxy.b = 1; Proxy.revocable({}, {}).revoke();
Object.defineProperties({}, { a: { get() { return 1; }, configurable: true }, b: { value: 1 } }); Object.freeze({ ...proxy, c: [1] });
Object.fromEntries(Object.entries({ a: 1, b: 2 })); Object.assign(Object.create({ x: 1 }), { y: 2 }); structuredLike(Object.getOwnPropertyDescriptors(class { }));
function structuredLike(o) { for (const k of Reflect.ownKeys(o)) o[k]; }
'abc'.repeat(100).padStart(400).split('').reverse().join('').at(-1); 'aéあ😀'.codePointAt(3); [...'aéあ😀'].length; encodeURIComponent('é あ'); decodeURI('%C3%A9');
('x'.repeat(9000) + 'y'.repeat(9000) + 'é').indexOf('é'); escape('é'); String.raw`a${1}`; 'a-b'.replace('-', '$&$&'); Symbol.for('reg').description;
(1.5).toFixed(20); (1e300).toString(7); (12345.678).toPrecision(30); parseFloat('1.5e3'); Number('0x1f'); BigInt('123456789012345678901234567890') ** 9n % 1000007n;
new Date(2020, 1, 31, 12).toISOString(); Date.parse('Sat, 01 Jan 2000 00:00:00 GMT'); new Date(0).toString(); new Date().toLocaleString();
new AggregateError([new Error('a', { cause: 1 })], 'm').errors; Error.captureStackTrace?.({}); try { null.x; } catch (e) { e.stack; }
function deep(n) { return n ? deep(n - 1) : new Error('deep').stack; } deep(20); deep.bind(null, 1)(); Function.prototype.toString.call(deep);
Iterator.from([1, 2, 3]).map((n) => n).filter(Boolean).take(2).drop(1).flatMap((n) => [n]).toArray(); Iterator.concat?.([1], [2]); Math.sumPrecise?.([1, .1]);
(function () { return [...arguments, arguments.length]; })(1, 2); globalThis.later = 1; queueMicrotask?.(() => 1); Atomics.add(new Int32Array(4), 0, 1);
