// Values of node:sqlite on their way to SQLite and back.
'use strict';
const { DatabaseSync } = require('node:sqlite');

const db = new DatabaseSync(':memory:');
const same = db.prepare('select ? as v, typeof(?1) as t');
const long = 'ä€😀'.repeat(1000);
for (const value of [null, 0, -0, 1, -1.5, 1e300, Infinity, NaN, 2 ** 53, 1n, '', 'x',
    'ä€😀', new Uint8Array(), new Uint8Array([1, 2, 255]), new Uint16Array([258]),
    new DataView(new Uint8Array([9, 8, 7]).buffer, 1), Buffer.from('hi'),
    new Uint8Array([1, 2, 3, 4]).subarray(1, 3)])
    try {
        console.log(same.get(value));
    } catch (error) {
        console.log(error.code, error.message);
    }
console.log(same.get(long).v === long, same.get('\ud800x').v === '\ufffdx');
same.setReadBigInts(true);
console.log(same.get(2n ** 63n - 1n), same.get(-(2n ** 63n)), same.get(5));
console.log(db.prepare("select cast(x'ff41' as text) v, x'' e, zeroblob(3) z").get());
db.exec('create table t(i integer, r real, x text, b blob, n)');
db.prepare('insert into t values (?, ?, ?, ?, ?)').run(5, 5, 5, 'text', 5);
console.log(db.prepare('select *, typeof(i) ti, typeof(r) tr, typeof(x) tx, typeof(b) tb, ' +
    'typeof(n) tn from t').get());
const bytes = new Uint8Array(100000).fill(7);
console.log(same.get(bytes).v.every((byte) => byte === 7), same.get(bytes).v.length);
