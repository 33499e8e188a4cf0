// SPDX-License-Identifier: MIT
// transfer -- `weir jobs URL export`, `import` and `move`.
//
// Jobs keep their ids, tokens, states and attempts.
//
// Into SQLite, an import is one transaction.  In PostgreSQL, jobs are put aside,
// page by page, where no worker sees them; one transaction makes jobs of them,
// after it has compared their number and checksum with what was sent, and each
// job with its line.  What an earlier run has put aside is not sent again, if its
// checksum is that of the same jobs of the source.
//
// A move holds SQLite's lock for writing while it sends.  Then:
//
//     1  the source is marked as moved: every process of weir refuses it
//     2  the destination makes jobs of what is aside, and notes the checksum
//
// Killed before 1, nothing has happened; after it, nobody has the jobs until the
// same command is run again, which finds the mark and goes on with 2.  So no job
// is ever in two stores.  The source keeps its rows.
'use strict';

const fs = require('fs/fs');
const process = require('program/process');
const { Jobs, kTransfer } = require('jobs/jobs');
const { Checksum, Rows, checkLine, lineOf, pagesOf } = require('jobs/rows');
const { Progress } = require('jobs/screen');

const FORMAT = 'weir-jobs', FORMAT_VERSION = 1;
const LONG_MS = 24 * 3_600_000; // the server may be busy with many jobs
const INTERRUPTED = 130;

const isServer = (url) => /^postgres(ql)?:\/\//.test(url);
const progress = (label, total) => new Progress(process.stderr, label, total);

class Interruption extends Error {
    status = INTERRUPTED;
}

let isInterrupted = false;

// From now on Ctrl-C ends the command where nothing is half done.  The next one is
// the system's, which ends the process at once: a server may be away for long.
function catchInterrupt() {
    const names = ['SIGINT', 'SIGTERM'];
    const interrupt = () => {
        isInterrupted = true;
        for (const name of names)
            process.removeListener(name, interrupt);
        process.stderr.write('weir jobs: ending after this step; once more ends it now\n');
    };
    for (const name of names)
        process.on(name, interrupt);
}

// Signals arrive between two turns of the loop.
async function checkInterrupt(message) {
    const { setImmediate } = require('timers/timers');
    await new Promise((resolve) => { setImmediate(resolve); });
    if (isInterrupted)
        throw new Interruption(`interrupted: ${message}`);
}

// ---- PostgreSQL ----

// A store on a server, as long as `use` runs.  A server that is not there is
// reported sooner than one that is busy.
async function withServer(url, use) {
    const first = new Jobs(url);
    try {
        await first.queues();
    } finally {
        await first.close();
    }
    const jobs = new Jobs(url, { busyTimeout: LONG_MS });
    try {
        return await use(jobs);
    } finally {
        await jobs.close();
    }
}

const ask = async (jobs, step, text = '') => JSON.parse(await jobs[kTransfer](step, text));

async function* serverLines(jobs) {
    for (let after = 0, rows; (rows = await ask(jobs, 'export', String(after))).length > 0;)
        for (const row of rows) {
            after = row.id;
            yield lineOf(row);
        }
}

// The number and the checksum of lines, and whether `staged` is what there is of
// the first of them.
function summarise(lines, staged) {
    const sum = new Checksum();
    let isBegun = staged.count === 0;
    for (const line of lines) {
        sum.add(line);
        if (sum.count === staged.count)
            isBegun = sum.value === staged.checksum;
    }
    return { count: sum.count, checksum: sum.value, isBegun };
}

// Stores with the same jobs, such as none, may have other schedules and queues.
function identityOf({ queues, schedules, lastId, lastToken }, checksum) {
    return checksumOf(JSON.stringify({ queues, schedules, lastId, lastToken, checksum }));
}

// Put lines aside.  `linesFrom(id)` are those after an id.  Returns {count, checksum,
// moved}, where `moved` says that they are jobs of the store already.
async function stage(jobs, linesFrom, store, isMarked = false) {
    const before = await ask(jobs, 'staged');
    const { count, checksum, isBegun } = summarise(linesFrom(0), before);
    const identity = identityOf(store, checksum);
    const { moved } = await ask(jobs, 'staged', identity);
    if (moved)
        return { count, checksum, identity, moved };
    // If the source is marked, the last step decides: it knows for certain.
    if (!isMarked && (await ask(jobs, 'store')).jobs > 0)
        throw new Error('the store there has jobs of its own');
    if (!isBegun)
        await jobs[kTransfer]('clear', '');
    const bar = progress('sending', store.jobs);
    try {
        bar.advance(isBegun ? before.count : 0);
        for (const page of pagesOf(linesFrom(isBegun ? before.last ?? 0 : 0))) {
            await checkInterrupt('nothing has changed, and the same command goes on from here');
            await jobs[kTransfer]('stage', `[${page.join()}]`);
            bar.advance(page.length);
        }
    } finally {
        bar.end();
    }
    const after = await ask(jobs, 'staged', identity);
    if (after.count !== count || after.checksum !== checksum)
        throw new Error(`${after.count} jobs have arrived of ${count}, or others: ` +
            'is another command sending jobs there?');
    return { count, checksum, identity, moved };
}

async function importStaged(jobs, store, { count, checksum, identity }) {
    await jobs[kTransfer]('import', JSON.stringify({ ...store, count, checksum, identity }));
}

// ---- files ----

// Lines of a file, without keeping all of it.
function* readLines(fd) {
    const { StringDecoder } = require('bytes/stringdecoder');
    const decoder = new StringDecoder('utf8');
    const bytes = new Uint8Array(1 << 20);
    let rest = '', at = 0;
    for (let size; (size = fs.readSync(fd, bytes, 0, bytes.length, at)) > 0; at += size) {
        const lines = (rest + decoder.write(bytes.subarray(0, size))).split('\n');
        rest = lines.pop();
        yield* lines;
    }
    if (rest !== '')
        yield rest;
}

// The head of a file, and its lines of jobs after an id.
function openExport(file) {
    let fd;
    try {
        fd = fs.openSync(file, 'r');
    } catch (error) {
        throw new Error(error.code === 'ENOENT' ? `there is no file ${file}` : error.message);
    }
    const read = () => {
        const lines = readLines(fd);
        lines.next();
        return lines;
    };
    function* linesFrom(after) {
        for (const line of read())
            if (line.startsWith('{"id":') && (after === 0 || JSON.parse(line).id > after))
                yield line;
    }
    return { fd, all: () => readLines(fd), linesFrom };
}

function checksumOf(line) {
    const sum = new Checksum();
    sum.add(line);
    return sum.value;
}

function readHead(text) {
    try {
        const head = JSON.parse(text);
        if (head.format === FORMAT && head.version === FORMAT_VERSION && head.store.queues &&
            head.store.schedules)
            return head.store;
    } catch {
        // said below
    }
    throw new Error('it was not written by weir jobs export');
}

// Check all of a file before any of it is used.
function checkExport(all) {
    const sum = new Checksum();
    let store, head, end, number = 0, last = 0;
    for (const line of all) {
        number++;
        if (number === 1) {
            store = readHead(line);
            head = checksumOf(line);
            continue;
        }
        try {
            if (end !== undefined)
                throw new Error('more after the end');
            if (line.startsWith('{"end":')) {
                ({ end } = JSON.parse(line));
                continue;
            }
            const { id } = checkLine(line);
            if (id <= last)
                throw new Error('not in the order of the ids');
            last = id;
        } catch (error) {
            throw new Error(`line ${number}: ${error.message}`);
        }
        sum.add(line);
    }
    if (number === 0)
        throw new Error('it is empty');
    if (end === undefined)
        throw new Error('its end is missing');
    if (end.count !== sum.count || end.checksum !== sum.value ||
        end.head !== head)
        throw new Error('it has been changed: its checksum differs');
    return { ...store, jobs: sum.count, lastId: Math.max(store.lastId, last) };
}

// ---- the commands ----

async function writeExport(fd, store, lines) {
    const sum = new Checksum(), bar = progress('exporting', store.jobs);
    const write = (text) => fs.writeSync(fd, text); // all of it, or it throws
    try {
        const head = JSON.stringify({ format: FORMAT, version: FORMAT_VERSION, store });
        write(`${head}\n`);
        for await (const line of lines) {
            sum.add(line);
            write(`${line}\n`);
            bar.advance(1);
            if (sum.count % 100 === 0)
                await checkInterrupt('no file was written');
        }
        write(`${JSON.stringify({ end: { count: sum.count, checksum: sum.value,
            head: checksumOf(head) } })}\n`);
        fs.fsyncSync(fd);
    } finally {
        bar.end();
    }
    return { jobs: sum.count, checksum: sum.value };
}

async function withSource(url, use) {
    if (isServer(url))
        return await withServer(url, async (jobs) =>
            use(await ask(jobs, 'store'), serverLines(jobs)));
    const rows = new Rows(url, { isWriting: false });
    try {
        if (rows.hasMoved)
            throw new Error('the store has moved');
        return await use(rows.describe(), rows.lines());
    } finally {
        rows.close();
    }
}

// The file appears when it is complete.
async function exportJobs(url, file) {
    const part = `${file}.${process.pid}.part`;
    if (fs.existsSync(file))
        throw new Error(`${file} exists`);
    catchInterrupt();
    return await withSource(url, async (store, lines) => {
        const fd = fs.openSync(part, 'wx', 0o600);
        try {
            const done = await writeExport(fd, store, lines);
            fs.linkSync(part, file); // fails if it exists by now
            return done;
        } finally {
            fs.closeSync(fd);
            fs.unlinkSync(part);
        }
    });
}

// What wakes the processes that wait for jobs (jobs/os/wakeup.c).  It is opened before
// the commit, after which nothing may fail.
function openWakeup(file) {
    const { O_RDWR, O_NOFOLLOW } = fs.constants;
    return fs.openSync(`${file}-wakeup`, O_RDWR | O_NOFOLLOW);
}

async function importIntoFile(url, store, lines) {
    const jobs = new Jobs(url); // makes the tables
    try {
        await jobs.queues();
    } finally {
        await jobs.close();
    }
    const rows = new Rows(url, { isWriting: true }), bar = progress('importing', store.jobs);
    const sent = new Checksum(), there = new Checksum();
    let wakeup;
    try {
        if (rows.hasMoved)
            throw new Error('the store has moved');
        if (rows.describe().jobs > 0)
            throw new Error('the store has jobs of its own');
        for (const line of lines) {
            rows.insert(line);
            sent.add(line);
            bar.advance(1);
            if (sent.count % 100 === 0)
                await checkInterrupt('nothing has changed');
        }
        rows.insertStore(store);
        for (const line of rows.lines())
            there.add(line);
        if (there.count !== sent.count || there.value !== sent.value)
            throw new Error('jobs would have changed');
        rows.goOn();
        wakeup = openWakeup(rows.file);
        rows.commit();
        fs.writeSync(wakeup, new Uint8Array(1), 0, 1, 0);
    } finally {
        bar.end();
        rows.close();
        if (wakeup !== undefined)
            fs.closeSync(wakeup);
    }
    return { jobs: sent.count, checksum: sent.value };
}

async function importJobs(url, file) {
    const { fd, all, linesFrom } = openExport(file);
    catchInterrupt();
    try {
        let store;
        try {
            store = checkExport(all());
        } catch (error) {
            throw new Error(`${file}: ${error.message}`);
        }
        if (!isServer(url))
            return await importIntoFile(url, store, linesFrom(0));
        return await withServer(url, async (jobs) => {
            const sent = await stage(jobs, linesFrom, store);
            if (sent.moved)
                throw new Error('this file has been imported there before: nothing has changed');
            await importStaged(jobs, store, sent);
            return { jobs: sent.count, checksum: sent.checksum };
        });
    } finally {
        fs.closeSync(fd);
    }
}

// The second part of a move.  If it has certainly not happened, the source can be
// used again.  After ETIMEDOUT it may still happen, even if it has not by now.
async function finishMove(jobs, rows, store, sent, place) {
    rows.setPlace(place);
    try {
        await importStaged(jobs, store, sent);
    } catch (error) {
        let moved = true;
        try {
            if (error.code !== 'ETIMEDOUT')
                ({ moved } = await ask(jobs, 'staged', sent.identity));
        } catch {
            // not known
        }
        if (!moved)
            rows.setPlace('');
        else
            error.message += ' (run the same command again: the move is not complete)';
        throw error;
    }
}

async function moveJobs(url, target) {
    const rows = new Rows(url, { isWriting: true });
    catchInterrupt();
    try {
        const running = rows.countRunning(), store = rows.describe();
        if (running > 0)
            throw new Error(`${running} ${running === 1 ? 'job is' : 'jobs are'} running: ` +
                'stop the workers first');
        return await withServer(target, async (jobs) => {
            const { place } = await ask(jobs, 'store');
            if (rows.hasMoved && rows.place !== place)
                throw new Error('its jobs have moved to another database');
            const sent = await stage(jobs, (after) => rows.lines(after), store,
                rows.hasMoved);
            if (!sent.moved || !rows.hasMoved)
                await finishMove(jobs, rows, store, sent, place);
            return { jobs: sent.count, checksum: sent.checksum };
        });
    } finally {
        rows.close();
    }
}

module.exports = { exportJobs, importJobs, moveJobs };
