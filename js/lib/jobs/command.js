// SPDX-License-Identifier: MIT
// command -- `weir jobs URL [command]`: look at a store, and change it.
//
// cli/options.c parses the options, and has the list of commands for people.  A
// command opens the store, does one thing, and closes it.  Each change is one
// transaction of the store, so a command that is interrupted has happened or not.
'use strict';

const process = require('program/process');
const { ago, block, complete, plain, tableOf } = require('jobs/screen');

const FAILED = 1, BAD_OPTION = 9;

// What is wrong with the command line.
class UsageError extends Error {}

// ---- the command line ----

// The options of this process: name -> value, or true.
function readOptions(all) {
    const options = {};
    for (let i = 0; i < all.length; i++) {
        const [, name, value] = /^--([a-z-]+)(?:=([^]*))?$/.exec(all[i]) ?? [];
        if (name === 'json' || name === 'all')
            options[name] = true;
        else if (Object.hasOwn(JOB, name ?? ''))
            options[name] = value ?? all[++i];
    }
    return options;
}

function readNumber(text, name) {
    const number = Number(text);
    if (!/^-?\d+(\.\d+)?$/.test(text) || !Number.isFinite(number))
        throw new UsageError(`--${name} must be a number: ${text}`);
    return number;
}

function readId(text) {
    if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text)))
        throw new UsageError(`not the id of a job: ${text}`);
    return Number(text);
}

function readDate(text) {
    const date = new Date(text);
    if (Number.isNaN(date.getTime()))
        throw new UsageError(`--run-at must be a date: ${text}`);
    return date;
}

// The options of `add`: their names for weir:jobs, and how they are read.
const JOB = {
    key: ['key', String],
    unique: ['unique', String],
    priority: ['priority', readNumber],
    delay: ['delay', readNumber],
    'run-at': ['runAt', readDate],
    attempts: ['attempts', readNumber],
    backoff: ['backoff', readNumber],
    'backoff-max': ['backoffMax', readNumber],
    timeout: ['timeout', readNumber],
    keep: ['keep', (text, name) => text === 'forever' ? Infinity : readNumber(text, name)],
    after: ['after', (text) => text.split(',').map(readId)],
};

function jobOptions(options) {
    return Object.fromEntries(Object.entries(options).filter(([name]) => name in JOB)
        .map(([name, text]) => [JOB[name][0], JOB[name][1](text, name)]));
}

// What may be printed of a URL: no user, no password, no parameters.  Where they
// begin is not certain if it is malformed.
function nameOf(url) {
    const [, scheme, rest] = /^([a-z][a-z\d+.-]*:\/\/)([^]*)$/i.exec(url) ?? [];
    if (scheme === undefined)
        return url;
    const [, place] = /^(?:[^@/?#]*@)?([^@?#:]*(?::\d+)?(?:\/[^@?#]*)?)(?:\?|$)/.exec(rest) ?? [];
    return `${scheme}${place ?? '...'}`;
}

const isServer = (url) => /^postgres(ql)?:\/\//.test(url);

function checkUrl(url) {
    if (url === '')
        throw new UsageError('the URL is empty');
    if (/^postgres(ql)?:/i.test(url) && !isServer(url))
        throw new UsageError('a URL of PostgreSQL begins with postgres://');
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(url) && !isServer(url) && !url.startsWith('file:'))
        throw new UsageError(`not a file of SQLite, nor a postgres:// URL: ${nameOf(url)}`);
}

// weir:jobs would make a store.
function checkFile(url) {
    if (isServer(url) || url === ':memory:' || /^file:.*[?&]mode=memory(&|$)/.test(url))
        return;
    // As SQLite reads it: file:PATH or file://HOST/PATH, and then parameters.
    const [, path] = /^file:(?:\/\/[^/]*)?([^?#]*)/.exec(url) ?? [];
    try {
        require('fs/fs').accessSync(path === undefined ? url : decodeURIComponent(path));
    } catch (error) {
        throw new Error(error.code === 'ENOENT' ? 'there is no such file' : error.message);
    }
}

// ---- what is printed ----

const TEXTS = ['queue', 'state', 'key', 'unique', 'owner'];

function dataOf(job, bytes, member) {
    if (bytes.length === 0)
        return {};
    try {
        return { [member]: job[member] };
    } catch { // not JSON
        return { [`${member}Base64`]: require('bytes/buffer').Buffer.from(bytes)
            .toString('base64') };
    }
}

function showJob(job) {
    const { id, queue, state, attempt, attempts, priority, key, unique, addedAt, runAt,
        finishedAt, timeout, token, owner, lease, progress, reason } = job;
    return { id, queue, state, attempt, attempts, priority, key, unique, addedAt, runAt,
        finishedAt, timeout, token, owner, lease, progress,
        ...dataOf(job, job.bytes, 'data'),
        ...dataOf(job, job.resultBytes, 'result'), reason };
}

function showQueue(queue) {
    const { name, paused, concurrency, keyConcurrency, rate, period, keyRate, keyPeriod, oldest,
        jobs } = queue;
    const { ready, scheduled, behind, waiting, running, dead } = jobs;
    return { name, paused, depth: ready + scheduled + behind + waiting, running, failures: dead,
        oldest, concurrency, keyConcurrency, rate, period, keyRate, keyPeriod, jobs };
}

function lineOf(queue) {
    const { name, paused, depth, running, failures, oldest, rate, period, jobs } = queue;
    return [plain(name), depth, running, jobs.scheduled, failures,
        oldest === undefined ? '-' : ago(oldest),
        rate === undefined ? '-' : `${rate}/${period === 1000 ? 's' : `${period} ms`}`,
        paused ? 'paused' : ''];
}

const HEAD = ['QUEUE', 'DEPTH', 'RUNNING', 'DELAYED', 'FAILED', 'OLDEST', 'LIMIT', ''];

const say = (text) => { process.stdout.write(`${text}\n`); };
const sayJson = (value) => say(JSON.stringify(value, null, 2));

// ---- the commands ----

async function findQueue(jobs, name) {
    const queue = (await jobs.queues()).find((one) => one.name === name);
    if (queue === undefined)
        throw new Error(`there is no queue ${plain(name)}`);
    return queue;
}

async function list(jobs, { json }) {
    const queues = (await jobs.queues()).map(showQueue);
    if (json)
        sayJson(queues);
    else if (queues.length === 0)
        say('there are no queues');
    else
        say(tableOf(HEAD, queues.map(lineOf)));
}

async function add(jobs, { json, ...options }, queue, text) {
    const { id, isNew } = await jobs.queue(queue).add(JSON.parse(text), jobOptions(options));
    if (json)
        sayJson({ id, isNew });
    else
        say(String(id));
}

// Before the store is opened, or made.
function checkAdd(options, queue, text) {
    jobOptions(options);
    try {
        JSON.parse(text);
    } catch (error) {
        throw new UsageError(`not JSON: ${error.message}`);
    }
}

async function show(jobs, { json }, id) {
    const job = await jobs.get(readId(id));
    if (job === undefined)
        throw new Error(`there is no job ${id}`);
    const shown = showJob(job);
    if (json)
        sayJson(shown);
    else
        say(block(Object.entries(shown).map(([name, value]) => [name,
            value instanceof Date ? `${value.toISOString()} (${ago(value)})`
                : name === 'reason' || TEXTS.includes(name) ? value
                    : value === undefined ? undefined : JSON.stringify(value)])));
}

async function retry(jobs, { json, all }, which) {
    let count;
    if (all) {
        await findQueue(jobs, which);
        count = await jobs.queue(which).retryAll();
    } else {
        count = Number(await jobs.retry(readId(which)));
    }
    if (!all && count === 0)
        throw new Error(`there is no dead job ${which}`);
    if (json)
        sayJson({ retried: count });
    else
        say(`${count} ${count === 1 ? 'job' : 'jobs'} retried`);
}

async function cancel(jobs, { json }, id) {
    if (!await jobs.cancel(readId(id)))
        throw new Error(`there is no unfinished job ${id}`);
    if (json)
        sayJson({ cancelled: readId(id) });
    else
        say(`job ${id} cancelled`);
}

// A queue can be paused before its first job.
async function setPaused(jobs, json, name, paused) {
    const queue = jobs.queue(name);
    await (paused ? queue.pause() : queue.resume());
    if (json)
        sayJson({ name, paused });
    else
        say(`${plain(name)} ${paused ? 'paused' : 'resumed'}`);
}

async function pause(jobs, { json }, name) {
    await setPaused(jobs, json, name, true);
}

async function resume(jobs, { json }, name) {
    await findQueue(jobs, name);
    await setPaused(jobs, json, name, false);
}

function readCount(text) {
    if (!/^[1-9]\d{0,8}$/.test(text))
        throw new UsageError(`not a number of jobs: ${text}`);
    return Number(text);
}

async function bench(jobs, { json }, count) {
    const done = await require('jobs/bench').bench(jobs, readCount(count));
    if (json)
        sayJson(done);
    else
        say(block([['add', `${done.addsPerSecond}/s`], ['handle', `${done.handledPerSecond}/s`],
            ['add and handle', `${done.bothPerSecond}/s`], ['one add', `${done.addMs} ms`],
            ['one add, until done', `${done.addToDoneMs} ms`]]));
}

// A command of jobs/transfer, which opens the store itself.
const transfer = (name, what) => async (url, { json }, other) => {
    const done = await require('jobs/transfer')[name](url, other);
    if (json)
        sayJson(done);
    else
        say(`${done.jobs} ${done.jobs === 1 ? 'job' : 'jobs'} ${what}, checksum ${done.checksum}`);
};

// A store in SQLite moves to a server.
function checkMove(options, target, url) {
    checkUrl(target);
    if (isServer(url) || !isServer(target))
        throw new UsageError('a file of SQLite moves to a postgres:// URL');
}

// How a command is called: its operands, its options besides --json, whether it
// makes a store, whether it opens the store itself, and what is checked before.
const COMMANDS = {
    list: { run: list, operands: [] },
    add: { run: add, operands: ['QUEUE', 'JSON'], options: Object.keys(JOB), makes: true,
        check: checkAdd },
    show: { run: show, operands: ['ID'], check: (_, id) => readId(id) },
    retry: { run: retry, operands: ['ID'], options: ['all'],
        check: ({ all }, id) => { if (!all) readId(id); } },
    cancel: { run: cancel, operands: ['ID'], check: (_, id) => readId(id) },
    pause: { run: pause, operands: ['QUEUE'] },
    resume: { run: resume, operands: ['QUEUE'] },
    export: { open: transfer('exportJobs', 'exported'), operands: ['FILE'] },
    import: { open: transfer('importJobs', 'imported'), operands: ['FILE'], makes: true },
    bench: { run: bench, operands: ['COUNT'], makes: true, check: (_, count) => readCount(count) },
    move: { open: transfer('moveJobs', 'moved'), operands: ['URL'], check: checkMove },
};

function checkCommand(url, name, options, operands) {
    if (!Object.hasOwn(COMMANDS, name))
        throw new UsageError(`there is no command ${plain(name)}`);
    const { operands: names, options: known = [], check } = COMMANDS[name];
    const stranger = Object.keys(options).find((one) => one !== 'json' && !known.includes(one));
    if (stranger !== undefined)
        throw new UsageError(`--${stranger} is not an option of ${name}`);
    if (operands.length !== names.length)
        throw new UsageError(`usage: weir jobs URL ${[name, ...names].join(' ')}`);
    check?.(options, ...operands, url);
}

async function run(url, name, options, operands) {
    const { Jobs } = require('jobs/jobs');
    const command = COMMANDS[name];
    if (!command.makes)
        checkFile(url);
    if (command.open !== undefined) {
        await command.open(url, options, ...operands);
        return;
    }
    const jobs = new Jobs(url);
    try {
        await command.run(jobs, options, ...operands);
    } finally {
        await jobs.close();
    }
}

// ---- the end ----

// A value that weir:jobs refuses is the command line's.
function statusOf(error) {
    return error.status ?? (error instanceof UsageError || /^ERR_(INVALID_ARG|OUT_OF_RANGE)/.test(error.code)
        ? BAD_OPTION : FAILED);
}

// A message of weir:jobs, with the names of the command line.
function messageOf(error) {
    return complete(error.message).replace(/\boptions\.(\w+)/g, (all, member) => {
        const found = Object.keys(JOB).find((name) => JOB[name][0] === member);
        return found === undefined ? all : `--${found}`;
    });
}

async function start() {
    const [, url, name = 'list', ...operands] = process.argv;
    let where = '';
    process.stdout.on('error', (error) => {
        process.stderr.write(`weir jobs: stdout: ${error.message}\n`);
        process.exitCode = FAILED;
    });
    try {
        const options = readOptions(process.execArgv);
        if (url === undefined)
            throw new UsageError('the URL is missing');
        checkUrl(url);
        checkCommand(url, name, options, operands);
        where = `${plain(nameOf(url))}: `;
        await run(url, name, options, operands);
    } catch (error) {
        const status = statusOf(error);
        process.stderr.write(`weir jobs: ${status === BAD_OPTION ? '' : where}` +
            `${messageOf(error)}\n` +
            (status === BAD_OPTION ? "Try 'weir jobs --help'.\n" : ''));
        process.exitCode = status;
    }
}

module.exports = { start };
