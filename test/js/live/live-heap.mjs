// weir only
// weir:live: heapSummary() counts every object once, under the name of its class.
import { heapSummary } from 'weir:live';

const of = (summary, name) => summary.classes.find((row) => row.name === name) ??
    { count: 0, bytes: 0 };
const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);

const first = heapSummary();
console.log(Object.keys(first).join(' '));
console.log(Object.keys(first.classes[0]).join(' '));
console.log(first.classes.every(({ bytes }, i) => i === 0 || bytes <= first.classes[i - 1].bytes));

// The engine's own figures.  The summary is made after they are, so it has the
// object that holds them.
const last = heapSummary();
const extra = sum(last.classes, 'count') - last.objects;
console.log(extra >= 0 && extra <= 4, sum(last.classes, 'bytes') >= last.objectBytes,
    sum(last.classes, 'bytes') < last.allocated);

class Kept { a = 1; }
class Other extends Kept {}
const kept = Array.from({ length: 5000 }, () => new Kept()).concat(
    Array.from({ length: 300 }, () => new Other()));
const buffer = new ArrayBuffer(1 << 20);
const map = new Map(Array.from({ length: 1000 }, (_, i) => [i, i]));
const list = new Array(10000).fill(0);
const second = heapSummary();
console.log(of(second, 'Kept').count, of(second, 'Other').count); // and Other.prototype
console.log(of(second, 'Kept').bytes > 5000 * 32);
console.log(of(second, 'ArrayBuffer').bytes - of(last, 'ArrayBuffer').bytes >= buffer.byteLength);
console.log(of(second, 'Map').bytes - of(last, 'Map').bytes > 1000 * 32);
console.log(of(second, 'Array').bytes - of(last, 'Array').bytes >= list.length * 8 + kept.length * 8);
console.log(second.allocated > last.allocated, map.size);

// No code of the program runs.
let ran = 0;
class Sly {
    static get name() { ran++; return 'no'; }
}
const trap = new Proxy({}, { get() { ran++; }, getOwnPropertyDescriptor() { ran++; },
    getPrototypeOf() { ran++; return null; } });
const odd = [new Sly(), Object.create(trap), Object.create(null),
    Object.create({ get constructor() { ran++; return Kept; } }),
    Object.create({ constructor: { name: 7 } }), Object.create({ constructor: null })];
const third = heapSummary();
console.log(ran, of(third, 'no').count, odd.length, of(third, 'Object').count > 0);
kept.length = 0;
console.log(of(heapSummary(), 'Kept').count);
