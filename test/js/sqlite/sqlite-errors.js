// Arguments that node:sqlite refuses, states that it refuses, and SQLite's own
// errors, as Node 22 reports them.
'use strict';
const { DatabaseSync, StatementSync, backup } = require('node:sqlite');

function attempt(name, run) {
    try {
        const value = run();
        console.log(name, 'ok', typeof value === 'object' && value !== null ? 'object' : value);
    } catch (error) {
        console.log(name, error.name, error.code, error.errcode, error.errstr, error.message,
            '|', error.stack.split('\n')[0]);
    }
}

// ---- constructors ----

attempt('no path', () => new DatabaseSync());
attempt('no new', () => DatabaseSync(':memory:'));
attempt('number', () => new DatabaseSync(1));
attempt('NUL', () => new DatabaseSync('a\0b'));
attempt('NUL in bytes', () => new DatabaseSync(new Uint8Array([0])));
attempt('http', () => new DatabaseSync(new URL('http://a/')));
attempt('no directory', () => new DatabaseSync('/nonexistent/x'));
attempt('options', () => new DatabaseSync(':memory:', 1));
attempt('null', () => new DatabaseSync(':memory:', null));
for (const key of ['open', 'readOnly', 'enableForeignKeyConstraints',
    'enableDoubleQuotedStringLiterals', 'allowExtension', 'timeout', 'readBigInts', 'returnArrays',
    'allowBareNamedParameters', 'allowUnknownNamedParameters'])
    attempt(key, () => new DatabaseSync(':memory:', { [key]: 'x' }));
attempt('statement', () => new StatementSync());

// ---- statements ----

const db = new DatabaseSync(':memory:');
attempt('exec', () => db.exec());
attempt('exec nope', () => db.exec('nope'));
attempt('prepare', () => db.prepare());
attempt('prepare nope', () => db.prepare('nope'));
attempt('comment', () => db.prepare('-- x').run());
attempt('open twice', () => db.open());
attempt('create', () => db.exec('create table t(k integer primary key, v text unique) strict'));
const insert = db.prepare('insert into t values ($k, :v)');
attempt('insert', () => insert.run({ k: 1, v: 'a' }));
attempt('again', () => insert.run({ k: 1, v: 'a' }));
attempt('unknown', () => insert.run({ $k: 2, v: 'b', zz: 1 }));
attempt('object', () => insert.run({ k: {}, v: 1 }));
attempt('boolean', () => insert.run({ k: true, v: 'b' }));
attempt('large', () => insert.run({ k: 2n ** 64n, v: 'b' }));
attempt('too many', () => insert.run(3, 'x'));
attempt('undefined', () => insert.run(undefined));
attempt('symbol', () => insert.run(Symbol('x')));
attempt('array', () => insert.run([1]));
attempt('function', () => insert.run(() => 1));
attempt('too many anonymous', () => db.prepare('select ?, ?').get(1, 2, 3));
attempt('conflict', () => db.prepare('select $a, :a').get({ a: 1 }));
attempt('flags', () => insert.setAllowBareNamedParameters());
attempt('flags', () => insert.setReadBigInts());
attempt('flags', () => insert.setReturnArrays());
attempt('flags', () => insert.setAllowUnknownNamedParameters());
attempt('not bare', () => insert.setAllowBareNamedParameters(false));
attempt('not bare', () => insert.run({ k: 9, v: 'z' }));
attempt('too large', () => db.prepare('select 9007199254740993').get());
attempt('too large', () => db.prepare('select -9007199254740993').all());
attempt('constraint', () => db.exec("insert into t values ('x', 1)"));

// ---- functions ----

attempt('function', () => db.function());
attempt('function', () => db.function('f'));
attempt('function', () => db.function('f', 1, () => 1));
attempt('function', () => db.function('f', {}, 1));
for (const key of ['useBigIntArguments', 'varargs', 'deterministic', 'directOnly'])
    attempt(key, () => db.function('f', { [key]: 1 }, () => 1));
attempt('aggregate', () => db.aggregate('s', {}));
attempt('aggregate', () => db.aggregate('s', { start: 0 }));
attempt('aggregate', () => db.aggregate('s', { start: 0, step: 1 }));
attempt('aggregate', () => db.aggregate('s', { start: 0, step() {}, inverse: 1 }));

// ---- the rest ----

attempt('location', () => db.location(1));
attempt('extension', () => db.enableLoadExtension());
attempt('extension', () => db.enableLoadExtension(true));
attempt('extension', () => db.loadExtension('x'));
const extended = new DatabaseSync(':memory:', { allowExtension: true });
attempt('load', () => extended.loadExtension());
attempt('load', () => extended.loadExtension('/nonexistent'));
attempt('disable', () => extended.enableLoadExtension(false));
attempt('load', () => extended.loadExtension('x'));
attempt('session', () => db.createSession(1));
attempt('session', () => db.createSession({ table: 1 }));
attempt('session', () => db.createSession({ db: 1 }));
attempt('changes', () => db.applyChangeset());
attempt('changes', () => db.applyChangeset(new Uint8Array(1), 1));
attempt('changes', () => db.applyChangeset(new Uint8Array(1), { onConflict: 1 }));
attempt('changes', () => db.applyChangeset(new Uint8Array(1), { filter: 1 }));
attempt('backup', () => backup());
attempt('backup', () => backup(db));
attempt('backup', () => backup(db, 'x', 1));

// ---- closed ----

const session = db.createSession();
attempt('close', () => session.close());
attempt('session', () => session.changeset());
attempt('session', () => session.patchset());
attempt('session', () => session.close());
const select = db.prepare('select 1');
attempt('close', () => db.close());
attempt('close', () => db.close());
for (const [name, run] of Object.entries({ exec: () => db.exec('select 1'),
    prepare: () => db.prepare('select 1'), isTransaction: () => db.isTransaction,
    isOpen: () => db.isOpen, location: () => db.location(), function: () => db.function('f', () => 1),
    session: () => db.createSession(), get: () => select.get(), all: () => select.all(),
    run: () => select.run(), iterate: () => select.iterate(), columns: () => select.columns(),
    backup: () => backup(db, 'x') }))
    attempt(name, run);
attempt('open', () => db.open());
attempt('empty', () => db.prepare('select * from t').all());
