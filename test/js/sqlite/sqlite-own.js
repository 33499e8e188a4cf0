// weir only
// What Node does not define: a function that closes its database or runs its own
// statement, statements and iterators that outlive their execution, many of each.
'use strict';
const { DatabaseSync } = require('node:sqlite');

function attempt(run) {
    try {
        return run();
    } catch (error) {
        return `${error.code} ${error.message}`;
    }
}

let db = new DatabaseSync(':memory:');
db.function('closes', () => attempt(() => db.close()));
console.log(db.prepare('select closes() x').get().x);
db.function('again', () => attempt(() => own.get()));
const own = db.prepare('select again() x');
console.log(own.get().x);
console.log(attempt(() => db.prepare('select $a').get({ get a() { return attempt(() => db.close()); } })));
db.exec('create table s(k integer primary key)');
const session = db.createSession();
db.exec('insert into s values (1)');
console.log(attempt(() => db.applyChangeset(session.changeset(), { filter() { throw new Error('filter'); } })));

// A statement whose table changes, texts with a NUL
db.exec('create table t(a, b); insert into t values (1, 2)');
const star = db.prepare('select * from t');
console.log(star.all());
db.exec("alter table t add column c default 'new'");
console.log(star.all());
db.function('nul', () => 'a\0b');
console.log(db.prepare('select nul() x, length(nul()) l, ? y').get('c\0d'));

// A view that claims more bytes than its buffer has
for (const [name, value] of [['byteLength', 4096], ['byteOffset', -8], ['byteOffset', 9]])
    console.log(attempt(() => db.prepare('select length(?) n').get(Object.defineProperty(
        new DataView(new ArrayBuffer(8)), name, { value }))));

// An iterator of an older execution
const rows = db.prepare('select ? as x union all select 2');
const first = rows.iterate(1);
console.log(first.next().value.x);
const second = rows.iterate(10);
console.log(attempt(() => first.next()), second.next().value.x, attempt(() => first.return()));
db.close();
console.log(attempt(() => second.next()));

// Statements in a cycle with their database, thousands of them
for (let i = 0; i < 2000; i++) {
    db = new DatabaseSync(':memory:');
    const box = { db };
    db.function('f', () => box.value ?? 1);
    const statement = box.statement = db.prepare('select f() x');
    db.aggregate('g', { start: 0, step: (sum, v) => sum + v + (box.none ?? 0) });
    box.self = box;
    if (statement.get().x !== 1)
        console.log('wrong');
    statement.iterate().next(); // left in the middle
    db.createSession();
}

// A statement keeps its database, and the functions of it.
let kept;
{
    const short = new DatabaseSync(':memory:');
    short.function('f', () => 'kept');
    kept = short.prepare('select f() x');
}
globalThis.gc?.();
console.log(kept.get().x);

// Methods of other objects
const { StatementSync } = require('node:sqlite');
for (const name of ['run', 'get', 'all', 'iterate', 'columns'])
    console.log(name, attempt(() => StatementSync.prototype[name].call({})));
console.log(attempt(() => DatabaseSync.prototype.exec.call({}, 'x')));
console.log(Object.keys(require('node:sqlite')).sort().join());
console.log(attempt(() => require('sqlite')).split('\n')[0]);
