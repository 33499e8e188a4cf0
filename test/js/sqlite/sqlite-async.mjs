// weir only
// weir:sqlite: the work of a database on the pool.
import { Database } from 'weir:sqlite';
import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-async-'));
process.on('exit', () => fs.rmSync(directory, { recursive: true }));
const failure = (promise) => promise.then(() => 'no error',
    ({ name, code, errcode, message }) => [name, code, errcode, message].join(' '));

const file = path.join(directory, 'a.db');
const db = await Database.open(file);
await db.exec('create table t(k integer primary key, v)');
const insert = await db.prepare('insert into t values (?, ?)');
console.log(await insert.run(1, 'one'), await insert.run(2n, null));
// In the order of the calls, with arguments as they were at the call
const bytes = new Uint8Array([1, 2]), named = { k: 4, v: 'four' };
const byName = await db.prepare('insert into t values ($k, $v)');
const several = [insert.run(3, bytes), byName.run(named), db.exec('delete from t where k = 1'),
    db.exec("insert into t values (1, 'again')")];
bytes.fill(9);
named.v = 'changed';
await Promise.all(several);
const select = await db.prepare('select * from t order by k');
console.log(await select.all(), await select.get(), select.columns().map(({ name }) => name).join(),
    select.sourceSQL);
console.log(await (await db.prepare('select 1 where 0')).get());

// Many rows, one by one
await db.exec(`with recursive n(i) as (select 10 union all select i + 1 from n where i < 2009)
    insert into t select i, 'row ' || i from n`);
let sum = 0;
for await (const { k } of select.iterate())
    sum += k;
console.log(sum, (await select.all()).length);
for await (const { k } of select.iterate()) // stopped early
    if (k > 5)
        break;
const old = select.iterate();
console.log((await old.next()).value.k);
await select.get();
for (let i = 0; i < 255; i++)
    await old.next();
console.log(await failure(old.next()));

// Executions of one statement that overlap: each iterator has its own, or is invalid.
const lengthOf = async (iterator, read) => {
    let length = read;
    for await (const row of iterator)
        length += row !== undefined;
    return length;
};
const overlapping = select.iterate(), short = select.get(), begun = overlapping.next();
await Promise.all([short, begun]);
console.log(await lengthOf(overlapping, 1));
const [older, newer] = [select.iterate(), select.iterate()];
await Promise.all([older.next(), newer.next()]);
console.log(await failure(lengthOf(older, 1)), await lengthOf(newer, 1));
const from = await db.prepare('select k from t where k >= :k'), cut = from.iterate({ k: 10 });
await cut.next();
await failure(from.all({ k: {} }));
console.log(await failure(lengthOf(cut, 1)));
// Rows that cannot be represented leave no statement behind.
await db.exec('create table big(v); insert into big values (9007199254740993), (1)');
const large = await db.prepare('select v from big');
console.log(await failure(large.get()), await failure(large.iterate().next()));
console.log(await failure(db.exec('drop table big')));

// Errors
console.log(await failure(Database.open('/nonexistent/x')));
console.log(await failure(Database.open(5)));
console.log(await failure(Database.open(':memory:', { timeout: 'x' })));
console.log(await failure(db.exec('nope')), await failure(db.prepare('nope')));
console.log(await failure(db.exec()), await failure(insert.run(1, 'x')), await failure(insert.run({}, {}, {})));
console.log(await failure((await db.prepare('select 9007199254740993')).get()));
try {
    new Database();
} catch (error) {
    console.log(error.code);
}

// Rows that a statement returns, and a commit that fails at its end
const child = await Database.open(':memory:');
await child.exec(`create table p(k integer primary key);
    create table c(k references p(k) deferrable initially deferred); insert into p values (1), (2)`);
console.log(await (await child.prepare('insert into p values (7) returning k')).run());
const orphan = await child.prepare('insert into c values (9) returning k');
console.log(await failure(orphan.run()));
console.log(await failure(orphan.get()));
console.log((await (await child.prepare('select count(*) n from c')).get()).n);
await child.close();

// Transactions: calls inside are part of it, also by statements from before, and
// those from outside wait.
const count = async () => (await (await db.prepare('select count(*) n from t')).get()).n;
const before = await count();
await db.transaction(async () => {
    await insert.run(-1, 'in');
    await db.exec('insert into t values (-2, 2)');
    console.log(await count() - before);
});
console.log(await count() - before);
console.log(await failure(db.transaction(async () => {
    await insert.run(-3, 'gone');
    throw new RangeError('undo');
})), await count() - before);
console.log(await db.transaction(async (same) => {
    await same.exec('insert into t values (-4, 0)');
    await failure(db.transaction(async () => {
        await db.exec('insert into t values (-5, 0)');
        throw new Error('inner');
    }));
    await db.transaction(() => db.exec('insert into t values (-6, 0)'), { mode: 'immediate' });
    console.log(await failure(db.close()));
    return 'value';
}), await count() - before);
// A call from outside, while a transaction waits
let release;
const gate = new Promise((resolve) => { release = resolve; });
const order = [];
const held = db.transaction(async () => { await gate; await db.exec('select 1'); order.push('inside'); });
const other = db.exec('select 2').then(() => order.push('outside'));
setImmediate(release);
await Promise.all([held, other]);
console.log(order.join());
// A call of the transaction's function that comes after its end waits for the commit.
let after;
const ended = db.transaction(async () => {
    after = db.exec('select 1').then(() => db.exec('select 2'));
});
console.log(await failure(Promise.all([ended, db.exec('select 3')])), await failure(after));
// A transaction that has waited has the context of its call, and so finds the
// transaction of another database that it is in.
const storage = new AsyncLocalStorage(), second = await Database.open(':memory:');
const keepBusy = () => { for (let i = 0; i < 100; i++) db.exec('select 1'); };
keepBusy();
console.log(await storage.run('mine', () => db.transaction(async () => storage.getStore())));
keepBusy();
console.log(await second.transaction(() => db.transaction(async () => {
    await second.exec('select 1');
    return 'both';
})));
await second.close();
console.log(await failure(db.transaction(5)), await failure(db.transaction(() => 1, { mode: 'x' })));

// A query without an end
const endless = db.exec('with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n');
let isOver = false; // it may not have begun at the first call
setImmediate(function stop() { if (!isOver) { db.interrupt(); setImmediate(stop); } });
console.log(await failure(endless));
isOver = true;
console.log(await count() - before);

// Backup, closing
console.log(await db.backup(path.join(directory, 'b.db')) > 0);
const copy = await Database.open(path.join(directory, 'b.db'), { readOnly: true, returnArrays: true });
console.log(await (await copy.prepare('select count(*) from t')).get(), await failure(copy.exec('delete from t')));
const last = copy.exec('select 1');
await Promise.all([last, copy.close()]);
console.log(copy.isOpen, await failure(copy.exec('select 1')), await failure(copy.close()));
const statement = await db.prepare('select 1');
await db.close();
console.log(await failure(statement.get()), await failure(select.all()));
