// Functions and aggregates of JavaScript in SQL.
'use strict';
const { DatabaseSync } = require('node:sqlite');

const db = new DatabaseSync(':memory:');
const get = (sql, ...rest) => {
    try {
        return db.prepare(sql).get(...rest);
    } catch (error) {
        return `${error.name} ${error.code} ${error.message}`;
    }
};
db.function('plus', (a, b) => a + b);
console.log(get('select plus(1, 2) x'), get("select plus('a', 'b') x"), get('select plus(1) x'));
for (const value of [undefined, null, 1, -0.5, 's', 'ä', 2n, 2n ** 70n, true, {}, [], new Uint8Array(2),
    Promise.resolve(1), Symbol.iterator, new Date(0)]) {
    db.function('give', () => value);
    console.log(get('select give() x, typeof(give()) y'));
}
db.function('kind', (x) => typeof x);
db.function('bigKind', { useBigIntArguments: true }, (x) => typeof x);
console.log(get('select kind(9007199254740993) x'), get('select bigKind(9007199254740993) x'),
    get("select kind(1) a, kind(1.5) b, kind('') c, kind(null) d, kind(x'00') e"));
db.function('count', { varargs: true, deterministic: true }, (...args) => args.length);
console.log(get('select count() a, count(1, 2, 3) b'));
db.function('direct', { directOnly: true }, () => 1);
db.exec('create view v as select direct() x');
console.log(get('select * from v'), get('select direct() x'));

// Exceptions keep their identity, in every way to run a statement.
const thrown = new TypeError('thrown');
db.function('fail', () => { throw thrown; });
for (const run of [() => db.exec('select fail()'), () => db.prepare('select fail()').get(),
    () => db.prepare('select fail()').all(), () => db.prepare('select fail()').run(),
    () => db.prepare('select fail()').iterate().next()])
    try {
        run();
        console.log('no exception');
    } catch (error) {
        console.log(error === thrown);
    }
console.log(get('select 1 x'));

// A function that uses the database
db.exec('create table t(k, v); insert into t values (1, 10), (2, 20), (3, 30)');
const find = db.prepare('select v from t where k = ?');
db.function('lookup', (k) => find.get(k)?.v);
console.log(db.prepare('select k, lookup(k) v, lookup(9) n from t').all());

// Aggregates
db.aggregate('total', { start: 0, step: (sum, v) => sum + v });
db.aggregate('mean', { start: () => [], step: (all, v) => { all.push(v); return all; },
    result: (all) => all.reduce((a, b) => a + b, 0) / all.length });
db.aggregate('moving', { start: 0, step: (sum, v) => sum + v, inverse: (sum, v) => sum - v,
    result: (sum) => sum * 10 });
db.aggregate('parts', { start: '', varargs: true, step: (text, ...rest) => `${text}${rest}` });
console.log(get('select total(v) t, mean(v) m, moving(v) w, parts(k, v) p from t'));
console.log(get('select total(v) t, parts() p from t where 0'));
console.log(db.prepare(`select k, moving(v) over (order by k rows between 1 preceding and current row)
    w from t`).all());
console.log(db.prepare('select k % 2 odd, total(v) t from t group by odd order by odd').all());
db.aggregate('broken', { start: 0, step(sum, v) { if (v > 10) throw new RangeError('step'); return sum; } });
db.aggregate('badStart', { start() { throw new Error('start'); }, step: (a, b) => b });
db.aggregate('badEnd', { start: 0, step: (a, b) => b, result() { throw new Error('result'); } });
for (const name of ['broken', 'badStart', 'badEnd'])
    console.log(get(`select ${name}(v) x from t`));
console.log(get('select total(v) x from t'));
db.aggregate('newest', { start: null, step: (before, v) => v, result: 5 }); // not a function
console.log(get('select newest(v) x from t'), get('select newest(v) x from t where 0'));
// The result of a window is read once for each row.
let reads = 0;
db.aggregate('seen', { start: 0, step: (sum, v) => sum + v, inverse: (sum, v) => sum - v,
    result(sum) { if (++reads > 3) throw new Error('too often'); return sum; } });
console.log(db.prepare(`select seen(v) over (order by k rows between 1 preceding and current row)
    w from t`).all(), reads);
console.log(get('select total(v) x from t'));
