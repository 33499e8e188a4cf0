// weir only
// long: address
// Workers with databases on the pool, and workers that are terminated in the
// middle of a query, there or on their own threads.  All that was committed is
// there, once.
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from 'node:sqlite';
import { Database } from 'weir:sqlite';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const WORKERS = 3, ROUNDS = 20, DOOMED = 4;

async function work({ id, file, isEndless }) {
    const db = await Database.open(`${file}.${id}`);
    if (isEndless) {
        parentPort.postMessage('begun');
        const query = 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n';
        if (isEndless === 'sync')
            new DatabaseSync(':memory:').exec(query);
        await db.exec(query);
        return;
    }
    const insert = await db.prepare('insert into t(worker, n) values (?, ?)');
    for (let n = 0; n < ROUNDS; n += 2)
        await db.transaction(async () => {
            await Promise.all([insert.run(id, n), insert.run(id, n + 1)]);
        }, { mode: 'immediate' });
    let seen = 0;
    for await (const row of (await db.prepare('select * from t where worker = ?')).iterate(id))
        seen += row.worker === id ? 1 : 0;
    parentPort.postMessage(seen);
    if (id % 2 === 0)
        await db.close(); // otherwise the end of the worker does
}

function finished(worker) {
    return new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject));
}

async function main() {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-workers-'));
    process.on('exit', () => fs.rmSync(directory, { recursive: true }));
    const file = path.join(directory, 'shared.db');
    for (let id = 0; id < Math.max(WORKERS, DOOMED); id++) {
        const db = new DatabaseSync(`${file}.${id}`);
        db.exec('create table t(worker integer, n integer, primary key (worker, n))');
        db.close();
    }
    const url = new URL(import.meta.url), ends = [], seen = [];
    for (let id = 0; id < WORKERS; id++) {
        const worker = new Worker(url, { workerData: { id, file } });
        worker.on('message', (count) => seen.push(count));
        ends.push(finished(worker));
    }
    for (let id = 0; id < DOOMED; id++) {
        const worker = new Worker(url, { workerData: { id, file, isEndless: id % 2 ? 'sync' : 'async' } });
        worker.on('message', () => setImmediate(() => worker.terminate()));
        ends.push(finished(worker));
    }
    const codes = await Promise.all(ends);
    console.log(codes.filter((code) => code === 0).length, codes.filter((code) => code === 1).length);
    console.log(seen.join());
    for (let id = 0; id < WORKERS; id++) {
        const db = new DatabaseSync(`${file}.${id}`);
        console.log(db.prepare('select count(*) n, count(distinct worker) w from t').get(),
            db.prepare('pragma integrity_check').get());
    }
}

await (isMainThread ? main() : work(workerData));
