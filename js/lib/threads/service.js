// SPDX-License-Identifier: MIT
// weir:service -- starts once, admits work while it runs, drains, closes once.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');
const thread = require('threads/thread');

const STATES = ['INIT', 'RUNNING', 'DRAINING', 'CLOSED'];
const HANDLE = /^weir:service:(\d{1,9})$/;
const ATTACH = Symbol('attach');
const DEADLINE_MS = 30000; // of a drain at SIGTERM
const SHOWN = 16; // names in the message of a forced end

function checkDeadline(deadline) {
    if (typeof deadline !== 'number')
        throw invalidArgType('deadline', 'of type number', deadline);
    if (!(deadline >= 0))
        throw outOfRange('deadline', '>= 0', deadline);
}

// One piece of work inside a service.  It exits once, whoever calls exit.
class Ticket {
    #native;
    #inside;

    constructor(entered, name, inside) {
        this.#native = entered;
        this.#inside = inside;
        Object.defineProperty(this, 'name', { value: name, enumerable: true });
        inside.add(this);
    }

    // Returns whether it was still inside.
    exit() {
        this.#inside.delete(this);
        return native.exit(this.#native);
    }

    [Symbol.dispose]() {
        this.exit();
    }
}

// The oldest holder of each name with the count of that name; the rest as one
// number.
function describe(holders) {
    const groups = new Map();
    for (const { name, thread, age } of holders) {
        const group = groups.get(name);
        if (group)
            group.count++;
        else
            groups.set(name, { name, thread, age, count: 1 });
    }
    const shown = [...groups.values()].slice(0, SHOWN);
    const rest = shown.reduce((left, { count }) => left - count, holders.length);
    const texts = shown.map(({ name, thread, age, count }) =>
        name + (count > 1 ? `, ${count} of them` : '') +
        ` (thread ${thread}, ${(age / 1000).toFixed(1)} s)`);
    return texts.join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}

let stop, deadlineOf;

class Service {
    #native; // null: it no longer exists, and was CLOSED
    #inside = new Set(); // tickets
    #closed; // the promise
    #deadline; // of a drain at SIGTERM

    constructor(options = {}, id) {
        if (options === null || (typeof options !== 'object' && options !== ATTACH))
            throw invalidArgType('options', 'of type object', options);
        this.#native = options === ATTACH ? native.attach(id) : native.create();
        // A string, which any message can carry; also part of a clone.
        Object.defineProperty(this, 'handle', { enumerable: true,
            value: `weir:service:${options === ATTACH ? id : native.id(this.#native)}` });
        Object.defineProperty(this, 'name',
            { value: String(options.name ?? 'service') });
        this.#deadline = options.deadline ?? DEADLINE_MS;
        checkDeadline(this.#deadline);
    }

    // The same service in another thread, by its handle or a clone of it.
    static from(handle) {
        const text = typeof handle === 'object' ? handle?.handle : handle;
        const id = typeof text === 'string' && HANDLE.exec(text)?.[1];
        if (!id)
            throw invalidArgType('handle', 'the handle of a Service', handle);
        return new Service(ATTACH, id);
    }

    get state() {
        return STATES[this.#native === null ? 3 : native.phase(this.#native)];
    }

    get inflight() {
        return this.#native === null ? 0 : native.inflight(this.#native);
    }

    // Only one caller may start it.
    start() {
        if (this.#native === null || native.start(this.#native) !== 0)
            return false;
        watchTerm(this);
        return true;
    }

    // Returns a ticket, or null if no work is admitted.
    tryEnter(name = 'work') {
        const text = String(name);
        const entered = this.#native === null ? null
            : native.enter(this.#native, text, thread.threadId);
        return entered === null ? null : new Ticket(entered, text, this.#inside);
    }

    // Without a ticket: exit the oldest one that entered through this object.
    exit(ticket = this.#inside.values().next().value) {
        if (!this.#inside.has(ticket))
            throw coded(Error, 'ERR_INVALID_STATE', 'exit without tryEnter');
        ticket.exit();
    }

    async run(fn, name) {
        if (typeof fn !== 'function')
            throw invalidArgType('fn', 'of type function', fn);
        const ticket = this.tryEnter(name ?? (fn.name || 'work'));
        if (ticket === null)
            throw coded(Error, 'ECLOSED', `The service is ${this.state}`);
        try {
            return await fn();
        } finally {
            ticket.exit();
        }
    }

    // Who is inside, on any thread, the longest first.
    report() {
        const state = this.state; // read first: CLOSED means that nobody is inside
        return { state, closed: state === 'CLOSED', inflight: this.inflight,
            holders: this.#native === null ? [] : native.holders(this.#native) };
    }

    // Admit no more work.  The report says whether everybody has left by the
    // deadline; if not, the drain continues.
    async drain({ deadline = Infinity } = {}) {
        checkDeadline(deadline);
        if (this.#native !== null && native.drain(this.#native) === native.ENOTSTARTED)
            throw coded(Error, 'ENOTSTARTED', 'The service has not been started');
        await this.#end(deadline);
        return this.report();
    }

    // Resolves when the service is CLOSED; keeps the program alive until then.
    get closed() {
        this.#closed ??= this.#end(Infinity).then(() => {});
        return this.#closed;
    }

    #end(timeout) {
        if (this.state === 'CLOSED')
            return Promise.resolve('ok');
        return new Promise((resolve) =>
            native.closed(this.#native, timeout, resolve));
    }

    async [Symbol.asyncDispose]() {
        if (this.state !== 'INIT')
            await this.drain();
    }

    get [Symbol.toStringTag]() {
        return 'Service';
    }

    // End the program after SIGTERM.  Report what still holds it at the
    // deadline.
    static async #stop(service) {
        const { closed, holders } =
            await service.drain({ deadline: service.#deadline });
        if (closed)
            return true;
        require('program/process').stderr.write(
            `weir: ${service.name}: still inside: ${describe(holders)}\n`);
        return false;
    }

    static {
        stop = Service.#stop;
        deadlineOf = (service) => service.#deadline;
    }
}

// ---- SIGTERM ----

function watchTerm(service) {
    require('program/term').join({ signals: ['SIGTERM'], rank: 1,
        deadline: deadlineOf(service),
        phase: () => ({ RUNNING: 'running', DRAINING: 'draining' })[service.state] ?? 'over',
        stop: () => stop(service) });
}

module.exports = { Service };
