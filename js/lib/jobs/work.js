// SPDX-License-Identifier: MIT
// work -- workers, and what their handlers get: a job that was claimed.
'use strict';

const { checkFunction, coded, invalidArgType, outOfRange } = require('core/errors');
const { checkNames, encode, readInteger, readTime } = require('jobs/options');
const { Job } = require('jobs/job');

const { work, stop, listen, settle, progress, stackOf } = native;
const DONE = 0, FAILED = 1, RELEASED = 2; // weir_jobs_outcome_kind
const LOST = 0, TIMEOUT = 1; // weir_jobs_event_kind
const REASON_LIMIT = 16384; // characters of a reason
const NOT_CHOSEN = 0; // the default of C

// ---- errors that say what follows ----

// The job is not tried again.
class UnrecoverableError extends Error {
    get name() { return 'UnrecoverableError'; }
}

// The next attempt begins after `delay` milliseconds.
class RetryError extends Error {
    constructor(message, options = {}) {
        super(message, options);
        this.delay = readTime(options.delay ?? 0, 'options.delay');
    }

    get name() { return 'RetryError'; }
}

function reasonOf(error) {
    let text;
    try {
        text = require('util/inspect').inspect(error);
    } catch {
        text = 'an error that cannot be shown';
    }
    return text.replaceAll('\0', '\ufffd').slice(0, REASON_LIMIT).toWellFormed();
}

// ---- a claimed job ----

// A job that this process has claimed.  It is settled once.
class ClaimedJob extends Job {
    #claim; #controller; #worker;
    #isSettled = false;

    constructor(info, claim, worker) {
        super(info);
        this.#claim = claim;
        this.#worker = worker;
    }

    // Aborts when the handler should stop: the lease was lost, the attempt took
    // too long, the job was cancelled, or a drain has passed its soft deadline.
    get signal() {
        if (this.#controller === undefined) {
            const { AbortController } = require('events/abort');
            const controller = this.#controller = new AbortController();
            if (!this.#isSettled)
                listen(this.#claim, (error) => controller.abort(error));
        }
        return this.#controller.signal;
    }

    get isSettled() { return this.#isSettled; }

    // Record how far it is, from 0 to 1.  Resolves when that is durable.
    async updateProgress(value) {
        if (typeof value !== 'number')
            throw invalidArgType('value', 'of type number', value);
        if (!(value >= 0 && value <= 1))
            throw outOfRange('value', '>= 0 && <= 1', value);
        await progress(this.#claim, value);
        this.progress = value;
    }

    // Each resolves when it is durable, and rejects with ELEASE if the lease was
    // lost.
    complete(result) {
        return this.#settle(DONE, encode(result, 'result'), undefined, false, NOT_CHOSEN);
    }

    fail(error, { final = error instanceof UnrecoverableError,
        delay = error instanceof RetryError ? error.delay : 0 } = {}) {
        return this.#settle(FAILED, undefined, reasonOf(error), final,
            readTime(delay, 'options.delay'));
    }

    // Give it back.  The attempt does not count.
    release({ delay = 0 } = {}) {
        return this.#settle(RELEASED, undefined, undefined, false,
            readTime(delay, 'options.delay'));
    }

    async #settle(...outcome) {
        const promise = settle(this.#claim, ...outcome); // throws if it is refused
        this.#isSettled = true;
        this.#worker.settled(this);
        await promise;
    }
}

// ---- workers ----

const WORKER = ['concurrency', 'prefetch', 'lease'];

// A pool has a method that runs its task elsewhere.
function handlerOf(given) {
    if (typeof given?.run !== 'function')
        return given;
    return ({ id, queue, data, attempt, token, key }, signal) =>
        given.run({ id, queue, data, attempt, token, key }, { signal, name: `${queue} ${id}` });
}

function readWorker(options) {
    checkNames(options, 'options', WORKER);
    const { concurrency = 1, prefetch = 0, lease = NOT_CHOSEN } = options;
    return [readInteger(concurrency, 'options.concurrency', 1),
        readInteger(prefetch, 'options.prefetch', 0),
        options.lease === undefined ? lease : readTime(lease, 'options.lease', 100)];
}

class JobWorker {
    #native; #handler; #tell; #onStop;
    // token -> { job, call }, weak, because a handler that nobody can continue must be
    // collected: see js/jobs/work.c
    #jobs = new Map();

    // `tell(event, job, value)` is called for each event, and `onStop()` when it stops.
    constructor(store, queue, handler, options, tell, onStop = () => {}) {
        const limits = readWorker(options);
        this.#handler = handlerOf(handler);
        checkFunction(this.#handler, 'handler');
        this.#tell = tell;
        this.#onStop = onStop;
        this.#native = work(store, queue, ...limits,
            (info, claim) => { this.#run(new ClaimedJob(info, claim, this)); });
    }

    async #run(job) {
        const entry = { job: new WeakRef(job), call: undefined };
        this.#jobs.set(job.token, entry);
        try {
            const result = await this.#call(job, entry);
            if (job.isSettled)
                return;
            await job.complete(result);
            this.#tell('completed', job, result);
        } catch (error) {
            await this.#fail(job, error);
        }
    }

    // A handler with one parameter can use job.signal, which is made then.
    #call(job, entry) {
        const call = this.#handler.length === 1 ? this.#handler(job)
            : this.#handler(job, job.signal);
        if (typeof call === 'object' && call !== null)
            entry.call = new WeakRef(call);
        return call;
    }

    // The handler has failed, or its result was refused.
    async #fail(job, error) {
        try {
            if (!job.isSettled)
                await job.fail(error);
        } catch (refusal) {
            error = refusal;
        }
        this.#tell('failed', job, error);
    }

    // What ClaimedJob calls.
    settled(job) { this.#jobs.delete(job.token); }

    // Returns whether the event was about a job of this worker.
    hear(kind, error, token) {
        const job = this.#jobs.get(token)?.job.deref();
        if (job === undefined)
            return false;
        this.#tell(kind === LOST ? 'lost' : kind === TIMEOUT ? 'timeout' : 'error', job, error);
        return true;
    }

    // The jobs whose handlers are running.
    get jobs() {
        return [...this.#jobs.values()].map(({ job }) => job.deref())
            .filter((job) => job !== undefined);
    }

    // Where the handler of a job is suspended; undefined if it is not, or not here.
    stackOf(token) {
        const call = this.#jobs.get(token)?.call?.deref();
        return call === undefined ? undefined : stackOf(call);
    }

    // Claim no more jobs.  Handlers that are running go on.
    stop() {
        stop(this.#native);
        this.#onStop();
    }
}

module.exports = { ClaimedJob, JobWorker, readWorker, RetryError, UnrecoverableError };
