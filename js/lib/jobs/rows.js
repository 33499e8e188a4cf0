// SPDX-License-Identifier: MIT
// rows -- jobs as lines of text, and the tables of a store in SQLite.
//
// A line is a row of the table job as JSON, with its members in one order, bytes
// as PostgreSQL writes them, and the jobs that it needs.  Left out is what a store
// decides itself: leases.  A job that was running waits for its next attempt.
//
// The checksum of jobs is that of the checksums of their lines, in the order of
// the ids; PostgreSQL computes the same (weir_jobs.staged).
'use strict';

const { Buffer } = require('bytes/buffer');

// The tables of jobs/sqlite/schema.c.
const APPLICATION = 0x77656972, VERSION = 3;
// Added to the version of a store whose jobs have moved: weir refuses it, and
// nothing in it changes any more.
const MOVED = 1_000_000;

const COLUMNS = ['id', 'queue', 'state', 'priority', 'run_at', 'attempt', 'attempts', 'token',
    'owner', 'key', 'unique', 'waits', 'backoff_ms', 'backoff_max_ms', 'timeout_ms', 'keep_ms',
    'progress', 'added_at', 'finished_at', 'expires_at', 'reason', 'result', 'payload'];
const RUNNING = 1, SCHEDULED = 2;
const CANCELLED_KEPT_MS = 86_400_000; // of jobs/sqlite/place.c
const PAGE_JOBS = 500, PAGE_BYTES = 4 << 20;

const hexOf = (bytes) => bytes === null ? null : `\\x${Buffer.from(bytes).toString('hex')}`;

function bytesOf(text) {
    if (text === null)
        return null;
    if (!/^\\x(?:[\da-f]{2})*$/.test(text))
        throw new Error('bytes are not in hexadecimal digits');
    return Buffer.from(text.slice(2), 'hex');
}

// `row` has the columns, bytes as text, and `needs`.
function lineOf(row) {
    const line = {};
    for (const name of COLUMNS)
        line[name] = row[name];
    line.needs = row.needs;
    if (line.state === RUNNING) {
        line.state = SCHEDULED;
        line.owner = null;
    }
    return JSON.stringify(line);
}

// The line itself, if it is one.
function checkLine(text) {
    const row = JSON.parse(text);
    if (row === null || typeof row !== 'object' || lineOf(row) !== text ||
        !Number.isSafeInteger(row.id) || row.id < 1 || !Array.isArray(row.needs))
        throw new Error('not a job');
    return row;
}

class Checksum {
    #lines = newHash();
    count = 0;

    add(line) {
        this.#lines.update(newHash().update(line).digest());
        this.count++;
    }

    get value() { return this.#lines.copy().digest('hex'); }
}

function newHash() {
    return require('crypto/hash').createHash('sha256');
}

// Lines by pages of about equal size.
function* pagesOf(lines) {
    let page = [], bytes = 0;
    for (const line of lines) {
        page.push(line);
        bytes += line.length;
        if (page.length === PAGE_JOBS || bytes >= PAGE_BYTES) {
            yield page;
            page = [];
            bytes = 0;
        }
    }
    if (page.length > 0)
        yield page;
}

// ---- a file of SQLite ----

// A transaction on a store in SQLite.  Without `commit`, nothing has happened.
class Rows {
    #db; #version;

    constructor(path, { isWriting }) {
        const { DatabaseSync } = require('sqlite/sqlite');
        this.#db = new DatabaseSync(path, { timeout: 10_000 });
        try {
            this.#check();
            this.#db.exec('PRAGMA synchronous = FULL');
            this.#db.exec(isWriting ? 'BEGIN IMMEDIATE' : 'BEGIN');
            this.#version = this.#check();
        } catch (error) {
            this.close();
            throw error;
        }
    }

    #number(sql) { return Object.values(this.#db.prepare(sql).get() ?? { none: 0 })[0] ?? 0; }

    #check() {
        const version = this.#number('PRAGMA user_version');
        if (this.#number('PRAGMA application_id') !== APPLICATION)
            throw new Error('the file is not a store of jobs');
        if (version % MOVED !== VERSION)
            throw new Error(version % MOVED < VERSION
                ? 'the store was written by an older version of weir: open it once'
                : 'the store was written by a newer version of weir');
        return version;
    }

    get hasMoved() { return this.#version >= MOVED; }

    // The jobs that a worker has.  A lease of an earlier boot has ended.
    countRunning() {
        const fs = require('fs/fs');
        const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
        const uptime = Number(fs.readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
        return this.#db.prepare('SELECT count(*) AS count FROM job, store WHERE state = 1 ' +
            'AND boot = ? AND lease_until > ?').get(boot, Math.floor(uptime)).count;
    }

    describe() {
        const queues = this.#db.prepare('SELECT * FROM queue ORDER BY name').all();
        const schedules = this.#db.prepare('SELECT * FROM schedule ORDER BY queue, name').all();
        return {
            lastId: this.#number("SELECT seq FROM sqlite_sequence WHERE name = 'job'"),
            lastToken: this.#number('SELECT last_token FROM store'),
            jobs: this.#number('SELECT count(*) FROM job'),
            queues: queues.map(({ rate_at_us: _, is_paused: paused, ...rest }) =>
                ({ ...rest, is_paused: paused !== 0 })),
            schedules: schedules.map(({ payload, ...rest }) =>
                ({ ...rest, payload: hexOf(payload) })),
        };
    }

    // The lines of the jobs whose ids are larger.
    * lines(after = 0) {
        const jobs = this.#db.prepare('SELECT * FROM job WHERE id > ? ORDER BY id LIMIT 100');
        const needs = this.#db.prepare('SELECT needs FROM dependency WHERE job = ? ORDER BY needs');
        const dependents = this.#number('SELECT count(*) FROM dependency') > 0;
        for (let rows; (rows = jobs.all(after)).length > 0;)
            for (const row of rows) {
                after = row.id;
                yield lineOf({ ...row, result: hexOf(row.result), payload: hexOf(row.payload),
                    needs: dependents && row.waits > 0 ? needs.all(row.id).map((one) => one.needs)
                        : [] });
            }
    }

    insert(line) {
        const row = JSON.parse(line);
        this.#db.prepare(`INSERT INTO job (${COLUMNS.map((name) => `"${name}"`).join()}) ` +
            `VALUES (${COLUMNS.map(() => '?').join()})`).run(...COLUMNS.map((name) =>
            name === 'payload' || name === 'result' ? bytesOf(row[name]) : row[name]));
        for (const need of row.needs)
            this.#db.prepare('INSERT INTO dependency VALUES (?, ?)').run(need, row.id);
    }

    #insertInto(table, row) {
        const names = Object.keys(row);
        this.#db.prepare(`INSERT OR REPLACE INTO ${table} (${names.map((name) =>
            `"${name.replaceAll('"', '""')}"`).join()}) VALUES (${names.map(() => '?').join()})`)
            .run(...Object.values(row));
    }

    // What is not a job.
    insertStore({ lastId, lastToken, queues, schedules }) {
        for (const queue of queues)
            this.#insertInto('queue', { ...queue, is_paused: Number(queue.is_paused) });
        for (const schedule of schedules)
            this.#insertInto('schedule', { ...schedule, payload: bytesOf(schedule.payload) });
        this.#db.exec("INSERT INTO sqlite_sequence SELECT 'job', 0 WHERE NOT EXISTS " +
            "(SELECT 1 FROM sqlite_sequence WHERE name = 'job')");
        this.#db.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'job'")
            .run(lastId);
        this.#db.prepare('UPDATE store SET last_token = max(last_token, ?)').run(lastToken);
    }

    // Do for jobs what PostgreSQL does after the commits of users' transactions (the
    // table later), and may not have done yet: here nobody else would.  Those that
    // need a cancelled job are cancelled; those that wait for nothing any more, and
    // the first of each key, go on.
    goOn() {
        const now = Date.now();
        this.#db.exec(`
            WITH RECURSIVE lost (id) AS (
                SELECT d.job FROM dependency AS d JOIN job AS n ON n.id = d.needs
                    WHERE n.state = 7
                UNION SELECT d.job FROM dependency AS d JOIN lost AS l ON d.needs = l.id)
            UPDATE job SET state = 7, finished_at = ${now}, expires_at =
                    CASE WHEN keep_ms > 0 THEN ${now} + keep_ms
                         WHEN keep_ms = 0 THEN ${now + CANCELLED_KEPT_MS} END
                WHERE state = 4 AND id IN (SELECT id FROM lost);
            DELETE FROM dependency WHERE needs NOT IN (
                SELECT id FROM job WHERE state NOT IN (5, 7));
            UPDATE job SET waits = (SELECT count(*) FROM dependency AS d WHERE d.job = job.id)
                WHERE state = 4;
            UPDATE job SET state = CASE WHEN key IS NULL THEN 2 ELSE 3 END
                WHERE state = 4 AND waits = 0;
            UPDATE job SET state = 2 WHERE id IN (
                SELECT b.id FROM (
                    SELECT id, queue, key, row_number() OVER (
                        PARTITION BY queue, key ORDER BY id) AS place
                    FROM job WHERE state = 3) AS b
                WHERE b.place <= coalesce((SELECT q.key_concurrency FROM queue AS q
                                           WHERE q.name = b.queue), 1) -
                    (SELECT count(*) FROM job AS a WHERE a.queue = b.queue AND a.key = b.key
                        AND a.key IS NOT NULL AND a.state < 3)
                AND NOT EXISTS (SELECT 1 FROM job AS w WHERE w.queue = b.queue AND w.key = b.key
                    AND w.key IS NOT NULL AND w.state = 4 AND w.state < 5 AND w.id < b.id))`);
    }

    // The file itself, if the path was a link to it, or a URI.
    get file() {
        return this.#db.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'")
            .get().file;
    }

    commit() { this.#db.exec('COMMIT'); }

    // Where the jobs have moved.
    get place() { return this.#db.prepare('SELECT boot FROM store').get().boot; }

    // Let nobody use the store any more, since its jobs are at a place; or again, if
    // that is ''.  Commits.  No lease is left, so the boot does not matter.
    setPlace(place) {
        if (!this.#db.isTransaction)
            this.#db.exec('BEGIN IMMEDIATE');
        this.#db.prepare('UPDATE store SET boot = ?').run(place);
        this.#db.exec(`PRAGMA user_version = ${VERSION + (place === '' ? 0 : MOVED)}`);
        this.commit();
    }

    close() {
        if (this.#db.isOpen)
            this.#db.close();
    }
}

module.exports = { Checksum, Rows, checkLine, lineOf, pagesOf };
