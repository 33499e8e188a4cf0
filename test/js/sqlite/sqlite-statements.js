// Statements of node:sqlite: parameters, rows, iterators, options.
'use strict';
const { DatabaseSync } = require('node:sqlite');

const db = new DatabaseSync(':memory:');
db.exec(`create table data(key integer primary key, value text) strict;
    create table other(a, b)`);
const insert = db.prepare('insert into data (key, value) values (?, ?)');
console.log(insert.run(1, 'hello'), insert.run(2, 'world'), insert.run(10n, null));
console.log(db.prepare('select * from data order by key').all());
console.log(db.prepare('select * from data where key = ?').get(2), db.prepare('select 1 where 0').get());
console.log(db.prepare('select 1 where 0').all(), db.prepare('select 7').run());
console.log(db.prepare('update data set value = upper(value)').run().changes);
console.log(db.prepare('insert into data values (77, ?) returning key, value').get('x'));
console.log(db.prepare('insert into data values (78, ?), (79, ?) returning key').all('y', 'z'));

// Parameters: by name with and without a prefix, by number, mixed
const mixed = db.prepare('select $a as a, ?2 as b, :c as c, @d as d, ? as e');
console.log(mixed.all({ a: 1, ':c': 3, '@d': 4 }, 5));
console.log(mixed.sourceSQL, '|', mixed.expandedSQL);
const loose = db.prepare('select $a as a');
loose.setAllowUnknownNamedParameters(true);
console.log(loose.get({ a: 1, z: 2 }), loose.get(), loose.get({}));
loose.setReadBigInts(true);
console.log(loose.get({ a: 3n }), loose.run());
loose.setReturnArrays(true);
console.log(loose.get({ a: 3n }), loose.all({ a: 'x' }));
console.log(db.prepare('select key, value as v, 1 + 1, rowid from data').columns());
console.log(db.prepare('create table if not exists data(x)').columns());

// Two columns of the same name
console.log(db.prepare('select 1 a, 2 a, 3 b').all());

// Iterators
const iterator = db.prepare('select key from data order by key').iterate();
console.log(iterator[Symbol.iterator]() === iterator, iterator.next(), iterator.next());
console.log(iterator.return(), iterator.next());
for (const { key } of db.prepare('select key from data order by key desc').iterate())
    if (key < 70)
        break;
    else
        console.log(key);
console.log([...db.prepare('select ? as x').iterate('only')]);
console.log(db.prepare('select value from generate where 0 or 1'.replace('generate', 'data'))
    .iterate().map((row) => row.value).toArray());

// Transactions, foreign keys, double quotes, the options of a database
console.log(db.isTransaction, db.isOpen, db.location());
db.exec('begin');
console.log(db.isTransaction);
db.exec('delete from data');
db.exec('rollback');
console.log(db.prepare('select count(*) n from data').get());
const big = new DatabaseSync(':memory:', { readBigInts: true, returnArrays: true,
    allowUnknownNamedParameters: true, enableDoubleQuotedStringLiterals: true,
    enableForeignKeyConstraints: false, timeout: 10 });
console.log(big.prepare('select 1, "quoted", $a').all({ b: 1 }), big.prepare('pragma foreign_keys').get());
console.log(db.prepare('pragma foreign_keys').get());
const late = new DatabaseSync(':memory:', { open: false });
console.log(late.isOpen);
late.open();
console.log(late.isOpen, late.prepare('select 1 one').get());
late.close();
console.log(late.isOpen);

// What run() tells of a statement that has not read all of its rows
const parent = new DatabaseSync(':memory:');
parent.exec(`create table p(k integer primary key);
    create table c(k references p(k) deferrable initially deferred);
    insert into p values (1), (2), (3)`);
console.log(parent.prepare('insert into p values (7) returning k').run());
try {
    console.log(parent.prepare('insert into c values (9) returning k').run());
} catch (error) {
    console.log(error.code, error.errcode, error.message);
}
console.log(parent.prepare('select count(*) n from c').get());
