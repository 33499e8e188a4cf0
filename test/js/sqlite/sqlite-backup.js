// Copies of a database, made on the pool.
'use strict';
const { DatabaseSync, backup } = require('node:sqlite');
const fs = require('fs'), os = require('os'), path = require('path');

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-backup-'));
process.on('exit', () => fs.rmSync(directory, { recursive: true }));
const source = new DatabaseSync(':memory:');
source.exec('create table t(k integer primary key, v blob)');
for (let i = 0; i < 100; i++)
    source.prepare('insert into t values (?, zeroblob(4000))').run(i);

function check(file) {
    const copy = new DatabaseSync(file, { readOnly: true });
    console.log(copy.prepare('select count(*) n, sum(k) s from t').get());
    copy.close();
}

async function main() {
    const file = path.join(directory, 'copy.db'), steps = [];
    const pages = await backup(source, file, { rate: 10,
        progress: ({ totalPages, remainingPages }) => steps.push([totalPages, remainingPages]) });
    console.log(pages > 100, steps.length > 5, steps.every(([total]) => total === pages),
        steps.every(([, left], i) => i === 0 || left < steps[i - 1][1]));
    check(file);
    const whole = path.join(directory, 'whole.db');
    console.log(await backup(source, whole) === pages);
    check(whole);

    // A progress function that throws, a place that does not exist
    await backup(source, path.join(directory, 'never.db'), { rate: 1,
        progress() { throw new RangeError('enough'); } }).catch((error) => console.log(error.name));
    await backup(source, path.join(directory, 'no', 'x.db')).catch((error) =>
        console.log(error.code, error.errcode, error.message));
    await backup(source, path.join(directory, 'y.db'), { source: 'nope' }).catch((error) =>
        console.log(error.code, error.errcode));
    const garbage = path.join(directory, 'garbage.db');
    fs.writeFileSync(garbage, 'garbage '.repeat(1000));
    await backup(source, garbage).catch((error) =>
        console.log(error.code, error.errcode, error.message));
    for (const key of ['rate', 'source', 'target', 'progress'])
        try {
            backup(source, file, { [key]: {} });
        } catch (error) {
            console.log(error.code, error.message);
        }
    // Closed before the copy has begun: the pool is busy
    for (let i = 0; i < 16; i++)
        require('crypto').pbkdf2('a', 'b', 20000, 64, 'sha512', () => {});
    const late = path.join(directory, 'late.db'), copying = backup(source, late);
    source.close();
    console.log(await copying === pages);
    check(late);
}
main();
