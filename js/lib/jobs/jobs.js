// SPDX-License-Identifier: MIT
// weir:jobs -- jobs that survive the process.
//
// A Jobs is a store (js/jobs/store.c): a file that any number of processes of one
// machine share, or a database of PostgreSQL.  Its queues are names; they have no
// state here.
'use strict';

const EventEmitter = require('events/events');
const { checkObject, coded, invalidArgType, invalidArgValue } = require('core/errors');
const { checkName, checkNames, encode, readDeadline, readId, readInteger, readJob,
    readTime } = require('jobs/options');
const { Job, STATES } = require('jobs/job');
const { claims } = require('jobs/claims');
const { ClaimedJob, JobWorker, readWorker, RetryError, UnrecoverableError } = require('jobs/work');

const { open, close, add, get, cancel, retry, list, look, plans, pause, limit, schedule,
    unschedule, drain, transfer } = native;
if (open === undefined)
    throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
        'weir:jobs is not available: weir was built without libweir-jobs');

const kTransfer = Symbol('transfer');
const DEADLINE_MS = 10_000, SOFT_MS = 5_000; // of a drain

// The value, or `otherwise` if there is no such job.
async function unlessAbsent(promise, otherwise) {
    try {
        return await promise;
    } catch (error) {
        if (error.code === 'ENOENT')
            return otherwise;
        throw error;
    }
}

// What may be printed of a path: no user, no password, no options of a URL.
function nameOf(path) {
    return path.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?(?:[^?]*@)?([^?]*).*$/s, '$1$2');
}

function describe({ id, queue, attempt, age, stack }) {
    const place = stack === undefined ? '' : `, ${stack.split('\n', 1)[0].trim()}`;
    return `job ${id} of ${queue}, attempt ${attempt}, ${(age / 1000).toFixed(1)} s${place}`;
}

// ---- queues ----

const LIMITS = ['concurrency', 'keyConcurrency', 'rate', 'period', 'keyRate', 'keyPeriod'];
const SCHEDULE = ['cron', 'zone', 'missed', 'data', 'options'];
const CLAIMS = ['prefetch', 'lease'];
const LIST = ['state', 'after', 'limit'];
const SCHEDULE_BYTES = 246; // WEIR_JOBS_SCHEDULE_LIMIT

function checkMissed(missed) {
    if (missed !== 'skip' && missed !== 'one')
        throw invalidArgValue('plan.missed', missed, "must be 'skip' or 'one'");
}

function stateOf(state) {
    const number = STATES.indexOf(state);
    if (number < 0)
        throw invalidArgValue('options.state', state, `must be one of ${STATES.join(', ')}`);
    return number;
}

class Queue {
    #jobs; #store; #name; #defaults; #work;

    constructor(jobs, store, name, defaults, work) {
        readJob(defaults);
        this.#jobs = jobs;
        this.#store = store;
        this.#name = name;
        this.#defaults = defaults;
        this.#work = work;
    }

    get name() { return this.#name; }

    // Add a job.  Resolves to {id, isNew} when it is durable.
    async add(data, options = {}) {
        checkObject(options, 'options');
        const [key, unique, ...rest] = readJob({ ...this.#defaults, ...options });
        const [id, isNew] = await add(this.#store, this.#name, encode(data, 'data'),
            key, unique, ...rest);
        return { id, isNew };
    }

    // Add a job for each of the data.  A thousand of them share a commit.
    addAll(list, options = {}) {
        return Promise.all(Array.from(list, (data) => this.add(data, options)));
    }

    // Handle jobs with `handler(job, signal)`, or by a weir:pool.  A handler whose
    // promise is fulfilled has done its job.
    work(handler, options = {}) {
        return this.#work(this.#name, handler, options);
    }

    // The same for a loop, which handles one job at a time: `for await (const job of
    // queue.claims())`.  A job is done when the body asks for the next one; a loop
    // that is left gives its job back.  It ends with a drain.
    claims(options = {}) {
        checkNames(options, 'options', CLAIMS);
        readWorker(options);
        return claims((handler, onStop) => this.#work(this.#name, handler, options, onStop));
    }

    // Limits for all processes together, which the store keeps.
    async limit(limits) {
        checkNames(limits, 'limits', LIMITS);
        const { concurrency = 0, keyConcurrency = 1, rate = 0, period = 1000, keyRate = 0,
            keyPeriod = 1000 } = limits;
        await limit(this.#store, this.#name, readInteger(concurrency, 'limits.concurrency', 0),
            readInteger(rate, 'limits.rate', 0), readTime(period, 'limits.period', 1),
            readInteger(keyConcurrency, 'limits.keyConcurrency', 1),
            readInteger(keyRate, 'limits.keyRate', 0), readTime(keyPeriod, 'limits.keyPeriod', 1));
    }

    // Add a job whenever a schedule is due.  Resolves to the next run.
    async schedule(name, plan) {
        checkName(name, 'name', SCHEDULE_BYTES);
        checkNames(plan, 'plan', SCHEDULE);
        const { cron, zone = 'UTC', missed = 'skip', data, options = {} } = plan;
        checkObject(options, 'plan.options');
        checkMissed(missed);
        for (const other of ['unique', 'delay', 'runAt', 'after'])
            if (options[other] !== undefined)
                throw invalidArgValue(`plan.options.${other}`, options[other], 'is not for schedules');
        const { unique, delay, runAt, after, ...defaults } = this.#defaults;
        return new Date(await schedule(this.#store, this.#name, encode(data, 'plan.data'),
            ...readJob({ ...defaults, ...options }), name, checkName(cron, 'plan.cron'),
            checkName(zone, 'plan.zone'), missed === 'one'));
    }

    // Resolves to whether there was one.
    async unschedule(name) {
        return await unlessAbsent(unschedule(this.#store, this.#name, checkName(name, 'name')),
            null) !== null;
    }

    // Resolves to jobs in a state, by their ids, from the first one after an id on.
    async list(options) {
        checkNames(options, 'options', LIST);
        const { state, after = 0, limit: most = 100 } = options;
        const found = await list(this.#store, this.#name, stateOf(state),
            after === 0 ? 0 : readId(after, 'options.after'),
            readInteger(most, 'options.limit', 1, 1000));
        return found.map((info) => new Job(info));
    }

    async pause() { await pause(this.#store, this.#name, true); }
    async resume() { await pause(this.#store, this.#name, false); }

    // Retry all dead jobs.  Resolves to their number.
    retryAll() { return retry(this.#store, 0, this.#name); }

    // Its state, or that of an empty queue.
    async stats() {
        const all = await this.#jobs.queues();
        return all.find(({ name }) => name === this.#name) ??
            showQueue({ name: this.#name, paused: false, concurrency: 0, keyConcurrency: 1,
                rate: 0, period: 1000, keyRate: 0, keyPeriod: 1000, oldest: 0,
                jobs: STATES.map(() => 0) });
    }
}

const orUndefined = (number) => number === 0 ? undefined : number;

function showQueue(queue) {
    const { name, paused, concurrency, keyConcurrency, rate, period, keyRate, keyPeriod, oldest,
        jobs } = queue;
    return { name, paused, concurrency: orUndefined(concurrency), keyConcurrency,
        rate: orUndefined(rate),
        period: rate === 0 ? undefined : period,
        keyRate: orUndefined(keyRate),
        keyPeriod: keyRate === 0 ? undefined : keyPeriod,
        oldest: oldest === 0 ? undefined : new Date(oldest),
        jobs: Object.fromEntries(STATES.map((state, i) => [state, jobs[i]])) };
}

// ---- the store ----

const OPTIONS = ['name', 'payloadLimit', 'busyTimeout', 'drain', 'signals'];
const DRAIN = ['soft', 'deadline'];

class Jobs extends EventEmitter {
    #store; #path; #drain; #takesSignals; #drained; #closed; #hide;
    #workers = new Set();
    #phase = 'running';
    #participant = { signals: ['SIGTERM', 'SIGINT'], rank: 1, phase: () => this.#phase,
        stop: () => this.#stop() };

    constructor(path, options = {}) {
        super();
        if (typeof path !== 'string')
            throw invalidArgType('path', 'of type string', path);
        if (path === '' || path.includes('\0'))
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
                "The argument 'path' must be the name of a file");
        checkNames(options, 'options', OPTIONS);
        const { name, payloadLimit = 2 ** 20, busyTimeout = 10_000, signals = true } = options;
        this.#drain = options.drain ?? {};
        this.#readDrain({});
        this.#takesSignals = signals;
        this.#path = path;
        this.#store = open(path, name === undefined ? undefined : checkName(name, 'options.name'),
            readInteger(payloadLimit, 'options.payloadLimit', 1),
            readInteger(busyTimeout, 'options.busyTimeout', 1),
            (kind, error, token) => this.#hear(kind, error, token));
        this.#hide = require('jobs/panel').add(this, nameOf(path));
    }

    get path() { return this.#path; }

    // A queue.  The options are the defaults of the jobs that are added to it.
    queue(name, defaults = {}) {
        return new Queue(this, this.#store, checkName(name, 'name'), defaults,
            (...args) => this.#work(...args));
    }

    #work(queue, handler, options, onStop) {
        const worker = new JobWorker(this.#store, queue, handler, options,
            (event, job, value) => this.#tell(event, job, value), onStop);
        if (this.#takesSignals && this.#workers.size === 0) {
            this.#participant.deadline = this.#readDrain({})[1];
            require('program/term').join(this.#participant);
        }
        this.#workers.add(worker);
        return worker;
    }

    // ---- single jobs ----

    // Resolves to the job, or to undefined if there is none.
    async get(id) {
        const info = await unlessAbsent(get(this.#store, readId(id, 'id')));
        return info === undefined ? undefined : new Job(info);
    }

    // Cancel a job that is not finished, and those that wait for it.  Resolves to
    // whether there was one.
    async cancel(id) {
        return await unlessAbsent(cancel(this.#store, readId(id, 'id')), null) !== null;
    }

    // Retry a dead job.  Resolves to whether there was one.
    async retry(id) {
        return await unlessAbsent(retry(this.#store, readId(id, 'id'), undefined), 0) !== 0;
    }

    // All schedules.
    async schedules() {
        return (await plans(this.#store)).map(({ next, ...plan }) =>
            ({ ...plan, next: new Date(next) }));
    }

    async queues() { return (await look(this.#store)).map(showQueue); }

    // For `weir jobs`: a step of weir_jobs_transfer.
    [kTransfer](step, text) { return transfer(this.#store, step, text); }

    // ---- events ----

    #hear(kind, error, token) {
        if (token === undefined)
            this.#tell('error', undefined, error);
        else
            [...this.#workers].some((worker) => worker.hear(kind, error, token));
    }

    // If nobody listens to trouble, say it on stderr.
    #tell(event, job, value) {
        if (this.listenerCount(event) > 0) {
            if (job === undefined)
                this.emit(event, value);
            else
                this.emit(event, job, value);
            return;
        }
        if (event === 'completed' || event === 'failed' && job.attempt < job.attempts &&
            !(value instanceof UnrecoverableError))
            return;
        const what = job === undefined ? 'jobs'
            : `job ${job.id} of ${job.queue}, attempt ${job.attempt}`;
        const text = event === 'failed' ? require('util/inspect').inspect(value) : value.message;
        require('program/process').stderr.write(`weir: ${what}: ${text}\n`);
    }

    // ---- the end ----

    #readDrain(options) {
        checkNames(options, 'options', DRAIN);
        checkNames(this.#drain, 'options.drain', DRAIN);
        const { deadline = DEADLINE_MS, soft = Math.min(SOFT_MS, deadline) } =
            { ...this.#drain, ...options };
        return [readDeadline(soft, 'options.soft'), readDeadline(deadline, 'options.deadline')];
    }

    // Claim no more jobs, and let the handlers finish.  After `soft` milliseconds
    // their signals abort; after `deadline` their jobs are given back, and the
    // report names them.
    drain(options = {}) {
        const times = this.#readDrain(options);
        return this.#drained ??= this.#drainOnce(times);
    }

    async #drainOnce([soft, deadline]) {
        this.#phase = 'draining';
        try {
            const holders = await drain(this.#store, soft, deadline);
            for (const holder of holders)
                holder.stack = this.#stackOf(holder.token);
            return { forced: holders.length > 0, holders };
        } finally {
            for (const worker of this.#workers)
                worker.stop();
            this.#phase = 'over';
            require('program/term').leave(this.#participant);
        }
    }

    #stackOf(token) {
        for (const worker of this.#workers) {
            const stack = worker.stackOf(token);
            if (stack !== undefined)
                return stack;
        }
    }

    // After a signal.  Resolves to whether nothing was cut off.
    async #stop() {
        const { forced, holders } = await this.drain();
        if (forced)
            require('program/process').stderr.write(`weir: ${nameOf(this.#path)}: given back ` +
                `at the deadline: ${holders.map(describe).join('; ')}\n`);
        return !forced;
    }

    // Carry out what was asked for, give back what is still running, and close
    // the file.
    close() {
        return this.#closed ??= this.#closeOnce();
    }

    async #closeOnce() {
        this.#phase = 'over';
        this.#hide();
        require('program/term').leave(this.#participant);
        for (const worker of this.#workers)
            worker.stop();
        await close(this.#store);
    }

    async [Symbol.asyncDispose]() { await this.close(); }

    get [Symbol.toStringTag]() { return 'Jobs'; }
}

module.exports = { Jobs, Job, ClaimedJob, Queue, JobWorker, RetryError, UnrecoverableError };
Object.defineProperty(module.exports, 'kTransfer', { value: kTransfer }); // not for programs
