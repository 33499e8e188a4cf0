// A backup of a database that is being written: it goes on when it can.
'use strict';
const { DatabaseSync, backup } = require('node:sqlite');
const fs = require('fs'), os = require('os'), path = require('path');

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-backup-'));
process.on('exit', () => fs.rmSync(directory, { recursive: true }));

// Write, by the connection that is copied or by another one, from the second step
// until the backup has found that out three times.
async function attempt(name, journal, open) {
    const source = new DatabaseSync(path.join(directory, `${name}.db`));
    source.exec(`pragma journal_mode = ${journal}; create table t(k integer primary key, v blob)`);
    for (let i = 0; i < 50; i++)
        source.prepare('insert into t values (?, zeroblob(4000))').run(i);
    const writer = open(source), file = path.join(directory, `${name}-copy.db`);
    let steps = 0, same = 0, last;
    const pages = await backup(source, file, { rate: 5, progress({ remainingPages }) {
        same += remainingPages === last;
        last = remainingPages;
        if (++steps === 2)
            writer.exec('begin exclusive; insert into t values (1000, zeroblob(10))');
        if (same === 3 && writer.isTransaction)
            writer.exec('commit');
    } });
    const copy = new DatabaseSync(file, { readOnly: true });
    console.log(name, pages > 50, same >= 3, copy.prepare('select count(*) n, sum(k) s from t').get());
    for (const each of new Set([source, writer, copy]))
        each.close();
}

async function main() {
    await attempt('itself', 'delete', (source) => source);
    await attempt('log', 'wal', (source) => source);
    await attempt('other', 'delete', () => new DatabaseSync(path.join(directory, 'other.db')));
    // The first step is not repeated.
    const source = new DatabaseSync(':memory:');
    source.exec('create table t(k); begin; insert into t values (1)');
    await backup(source, path.join(directory, 'first.db')).catch((error) => console.log(error.code, error.errcode));
}

main();
