// SPDX-License-Identifier: MIT
// pool -- weir:pool: calls of one function, distributed over workers.
//
// The tasks are queued in C (js/threads/pool_queue.c), where an idle worker steals from
// another.  This file has the workers, and the promises of the callers.
'use strict';

const { Worker } = require('threads/worker_threads');
const { checkObject, coded, invalidArgType, outOfRange } = require('core/errors');
const { transferList } = require('messages/messaging');

const LONGEST_MS = 2 ** 31 - 1; // of a timer; 25 days amount to no deadline

function closed() {
    return coded(Error, 'ERR_POOL_CLOSED', 'The pool takes no more tasks');
}

// The text of a method is not an expression, and bound and native functions
// have no text.
function textOf(task) {
    const text = Function.prototype.toString.call(task);
    try {
        new Function(`return (${text})`); // only compiles it
    } catch (cause) {
        throw Object.assign(coded(TypeError, 'ERR_INVALID_ARG_VALUE',
            "The argument 'task' must be a function whose text can stand alone. " +
            `Received ${require('util/inspect').inspect(text)}`), { cause });
    }
    return text;
}

// Where the workers get the function from.
function sourceOf(given) {
    if (typeof given === 'function')
        return { text: textOf(given) };
    const isUrl = given !== null && typeof given === 'object' &&
        typeof given.href === 'string';
    if (typeof given !== 'string' && !isUrl)
        throw invalidArgType('task', 'of type string or function or an instance of URL', given);
    if (isUrl && !given.href.startsWith('file:'))
        throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    const { pathOf, urlOf } = require('program/module');
    return { url: urlOf(isUrl ? pathOf(given.href) : require('fs/path').resolve(given)) };
}

class Pool {
    #handle; #number; #source; #limits; #workers = [];
    #tasks = []; #pending = 0; // by number; undefined: nobody waits for it
    #isOpen = true; #isOver = false; #failure; #whenIdle; #idle; #priority;
    #counts = { submitted: 0, completed: 0, failed: 0, cancelled: 0, replaced: 0 };

    constructor(task, options = {}) {
        checkObject(options, 'options');
        const { size = 4, priorities: given = ['high', 'normal', 'low'],
            resourceLimits } = options;
        if (!Number.isInteger(size))
            throw invalidArgType('options.size', 'an integer', size);
        if (size < 1 || size > 256)
            throw outOfRange('options.size', '>= 1 and <= 256', size);
        if (!Array.isArray(given) || given.length < 1 || given.length > 3 ||
            given.some((name, i) => typeof name !== 'string' || given.indexOf(name) < i))
            throw invalidArgType('options.priorities', 'a list of one to three names', given);
        // The names, highest first.  A call without a name gets the middle one.
        this.#priority = new Map(given.map((name, i) => [name, i]));
        this.#priority.set(undefined, given.length === 1 ? 0 : 1);
        if (resourceLimits !== undefined)
            checkObject(resourceLimits, 'options.resourceLimits');
        this.#limits = resourceLimits; // of each worker
        this.#source = sourceOf(task);
        [this.#handle, this.#number] = native.make(size, given.length);
        try {
            for (let i = 0; i < size; i++)
                this.#start(i);
        } catch (error) { // out of threads or memory
            this.#end(error);
            throw error;
        }
    }

    #start(index) {
        const worker = new Worker('require("weir:pool").serve()', { eval: true,
            resourceLimits: this.#limits, workerData: { ...this.#source, pool: this.#number, index } });
        const state = { isReady: false, cause: undefined };
        this.#workers[index] = worker;
        worker.on('message', (message) => {
            if (message === null)
                state.isReady = true;
            else if (typeof message?.serial === 'number')
                this.#hear(message); // otherwise it is the task's own
        });
        worker.on('error', (error) => { state.cause = error; });
        // There was no memory for an answer, and it is unknown which task it
        // was for.
        worker.on('messageerror', (error) => this.#fail(error));
        worker.on('exit', (code) => this.#lose(index, code, state));
        if (this.#pending === 0)
            worker.unref(); // a pool without tasks does not keep the program alive
    }

    // Set whether the workers keep the program alive.  Needs no memory.
    #hold(how) {
        for (let i = 0; i < this.#workers.length; i++)
            this.#workers[i][how]();
    }

    // Returns whether anybody was waiting for it.
    #settle(id, how, value) {
        const task = this.#tasks[id];
        if (task === undefined)
            return false; // the caller has given up on it
        this.#tasks[id] = undefined;
        task.signal?.removeEventListener('abort', task.onAbort);
        if (--this.#pending === 0) {
            if (this.#tasks.length > 1024)
                this.#tasks = []; // like the table in js/threads/pool_queue.c
            this.#hold('unref');
            this.#idle?.();
        }
        task[how](value);
        return true;
    }

    #hear({ id, serial, value, error }) {
        const isFine = error === undefined;
        if (!native.done(this.#handle, id, serial))
            return;
        if (this.#settle(id, isFine ? 'resolve' : 'reject',
            isFine ? value : require('threads/thread').unpackError(error)))
            this.#counts[isFine ? 'completed' : 'failed']++;
    }

    // A worker has ended: its task fails, and a new worker takes its place.
    #lose(index, code, { isReady, cause }) {
        const id = native.lost(this.#handle, index);
        if (this.#isOver)
            return;
        const error = coded(Error, 'ERR_POOL_WORKER_EXITED', isReady
            ? `The worker ended with code ${code} while the task ran`
            : `The worker ended with code ${code} before it could take a task`);
        if (cause !== undefined)
            error.cause = cause;
        if (id >= 0 && this.#settle(id, 'reject', error))
            this.#counts.failed++;
        if (isReady)
            this.#replace(index);
        else
            this.#fail(error); // a new one would end as well
    }

    #replace(index) {
        try {
            this.#start(index);
            this.#counts.replaced++;
        } catch (error) { // out of threads or memory
            this.#fail(error);
        }
    }

    #fail(error) {
        this.#failure = error;
        this.#end(error);
    }

    // Check whether a task is admitted; return its level.
    #admit(priority, signal) {
        if (!this.#isOpen)
            throw this.#failure ?? closed();
        const level = this.#priority.get(priority);
        if (level === undefined)
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
                `There is no priority ${require('util/inspect').inspect(priority)}`);
        if (signal !== undefined && !(signal instanceof require('events/abort').AbortSignal))
            throw invalidArgType('options.signal', 'an instance of AbortSignal', signal);
        signal?.throwIfAborted();
        return level;
    }

    // Call the function with this one value.  All errors reject the promise.
    run(value, options = {}) {
        return new Promise((resolve, reject) => {
            checkObject(options, 'options');
            const { priority, signal, transfer, name } = options;
            const level = this.#admit(priority, signal);
            const task = { id: 0, order: 0, resolve, reject, name, signal,
                onAbort: undefined };
            const id = task.id = native.add(this.#handle, value,
                transfer == null ? undefined : transferList(transfer), level);
            this.#tasks[id] = task;
            task.order = this.#counts.submitted++;
            if (this.#pending++ === 0)
                this.#hold('ref');
            if (signal !== undefined) {
                task.onAbort = () => this.#giveUp(id, signal.reason);
                signal.addEventListener('abort', task.onAbort, { once: true });
            }
            // A getter of the value may have closed the pool.
            if (!this.#isOpen)
                this.#giveUp(id, this.#failure ?? closed());
            else if (signal?.aborted)
                this.#giveUp(id, signal.reason);
        });
    }

    // A task that is already running continues, but its result is ignored.
    #giveUp(id, reason) {
        native.cancel(this.#handle, id);
        this.#counts.cancelled++;
        this.#settle(id, 'reject', reason);
    }

    get size() { return this.#workers.length; }

    // Names of unfinished tasks, and counters.
    get stats() {
        const [queued, steals, taken, total, longest] = native.counts(this.#handle);
        return { ...this.#counts, pending: this.#pending, queued, steals,
            queueTime: { mean: taken === 0 ? 0 : total / taken / 1e6, max: longest / 1e6 } };
    }

    // Admit no more tasks.  Resolves when all are done.  At the deadline (in
    // ms) it rejects those that are left, and resolves.
    async drain(options = {}) {
        checkObject(options, 'options');
        const { deadline = Infinity } = options;
        if (typeof deadline !== 'number')
            throw invalidArgType('options.deadline', 'of type number', deadline);
        if (!(deadline >= 0))
            throw outOfRange('options.deadline', '>= 0', deadline);
        this.#isOpen = false;
        if (this.#pending > 0)
            await this.#untilIdle(deadline);
        const left = this.#left().map(({ name }) => name);
        await this.#end(coded(Error, 'ERR_POOL_DEADLINE', 'The deadline of the drain is over'));
        return { ...this.stats, isLate: left.length > 0, left };
    }

    // Unfinished tasks, in the order of the calls.
    #left() {
        return this.#tasks.filter((task) => task !== undefined)
            .sort((a, b) => a.order - b.order);
    }

    async #untilIdle(deadline) {
        const { setTimeout, clearTimeout } = require('timers/timers');
        let timer;
        this.#whenIdle ??= new Promise((resolve) => { this.#idle = resolve; });
        await Promise.race([this.#whenIdle, new Promise((resolve) => {
            if (deadline <= LONGEST_MS)
                timer = setTimeout(resolve, deadline);
        })]);
        clearTimeout(timer);
    }

    async #end(error) {
        this.#isOpen = false;
        this.#isOver = true;
        for (const { id } of this.#left())
            this.#giveUp(id, error);
        await Promise.all(this.#workers.map((worker) => worker.terminate()));
    }

    [Symbol.dispose]() {
        this.#end(closed());
    }

    async [Symbol.asyncDispose]() {
        await this.drain();
    }
}

// ---- inside a worker ----

async function load({ text, url }) {
    if (text !== undefined)
        return require('program/module').evaluate(`(${text})`, '<task>'); // its file name in stacks
    const exports = await import(url);
    const found = exports.default;
    if (typeof found !== 'function')
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
            `${url} does not export a function`);
    return found;
}

let own; // handle of this worker; it exists as long as it is referenced

// Exit, because nobody would get the results: the pool starts another worker.
function leave() {
    const process = require('program/process');
    setImmediate(() => process.exit(1)); // where the error is caught
    throw coded(Error, 'ERR_CLOSED_MESSAGE_PORT',
        'A task has closed parentPort, or given it away');
}

async function serve() {
    const { parentPort, workerData } = require('threads/worker_threads');
    const { packError } = require('threads/thread');
    const post = parentPort.postMessage.bind(parentPort);
    const run = await load(workerData);
    let isBusy = false;

    async function work() {
        if (isBusy)
            return; // it will check again
        isBusy = true;
        for (let task; (task = native.take(own)) !== undefined;) {
            const [id, serial, value, broken] = task;
            let isSent;
            try {
                if (broken !== undefined)
                    throw broken;
                const result = await run(value);
                isSent = post({ id, serial, value: result });
            } catch (error) {
                isSent = post({ id, serial, error: packError(error) });
            }
            if (!isSent)
                leave();
        }
        isBusy = false;
    }
    const handle = native.join(workerData.pool, workerData.index, work);
    if (handle === undefined)
        return; // the pool is gone, or this was called twice
    own = handle;
    parentPort.postMessage(null); // ready
    await work();
}

module.exports = { Pool };
Object.defineProperty(module.exports, 'serve', { value: serve });
