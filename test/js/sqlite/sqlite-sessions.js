// Changes that are recorded in one database and applied to another.
'use strict';
const { DatabaseSync, constants } = require('node:sqlite');

const schema = 'create table data(key integer primary key, value text); ' +
    'create table more(key integer primary key)';
function open(values = []) {
    const db = new DatabaseSync(':memory:');
    db.exec(schema);
    for (const [key, value] of values)
        db.prepare('insert into data values (?, ?)').run(key, value);
    return db;
}
const rows = (db) => db.prepare('select * from data order by key').all().map((row) => ({ ...row }));

const source = open([[1, 'one']]), session = source.createSession();
source.exec("insert into data values (2, 'two'); update data set value = 'uno' where key = 1; " +
    'insert into more values (5)');
const changeset = session.changeset(), patchset = session.patchset();
console.log(changeset instanceof Uint8Array, changeset.length > patchset.length);

const target = open([[1, 'one']]);
console.log(target.applyChangeset(changeset), rows(target), target.prepare('select * from more').get());
const filtered = open([[1, 'one']]);
console.log(filtered.applyChangeset(changeset, { filter: (table) => table === 'data' }), rows(filtered),
    filtered.prepare('select * from more').get());

// Conflicts: the default is to stop
const conflict = (options) => {
    const db = open([[1, 'other'], [2, 'zwei']]), kinds = [];
    let outcome;
    try {
        outcome = db.applyChangeset(changeset, options?.(kinds));
    } catch (error) {
        outcome = `${error.code} ${error.errcode} ${error.message}`;
    }
    console.log(outcome, kinds, rows(db));
};
conflict();
conflict((kinds) => ({ onConflict(kind) { kinds.push(kind); return constants.SQLITE_CHANGESET_OMIT; } }));
conflict((kinds) => ({ onConflict(kind) { kinds.push(kind); return constants.SQLITE_CHANGESET_REPLACE; } }));
conflict((kinds) => ({ onConflict(kind) { kinds.push(kind); return constants.SQLITE_CHANGESET_ABORT; } }));
conflict(() => ({ onConflict: () => 77 }));
conflict(() => ({ onConflict() { throw new Error('mine'); } }));

// One table, an attached database, garbage
const one = open(), only = one.createSession({ table: 'more' });
one.exec("insert into data values (1, 'x')");
console.log(only.changeset().length);
one.exec('insert into more values (1)');
console.log(only.changeset().length > 0);
one.exec("attach ':memory:' as second; create table second.data(key integer primary key)");
const second = one.createSession({ db: 'second' });
one.exec('insert into second.data values (3)');
console.log(second.changeset().length > 0);
try {
    target.applyChangeset(new Uint8Array([1, 2, 3]));
} catch (error) {
    console.log(error.code, error.errcode, error.message);
}
second.close();
one.close();
try {
    only.changeset();
} catch (error) {
    console.log(error.code, error.message);
}
console.log(constants);
