// SPDX-License-Identifier: MIT
// mocktimers -- mock.timers: timers and dates that move when the test says so.
'use strict';

const { abortError, coded, invalidArgType, invalidArgValue } = require('core/errors');

const supported = ['setTimeout', 'setInterval', 'setImmediate', 'Date'];
const TIMEOUT_MAX = 2 ** 31 - 1;

function invalidState(text) {
    return coded(Error, 'ERR_INVALID_STATE', `Invalid state: ${text}`);
}

class Timeout {
    constructor(options) {
        Object.assign(this, options);
    }

    hasRef() {
        return true;
    }

    ref() {
        return this;
    }

    unref() {
        return this;
    }

    refresh() {
        return this;
    }
}

function checkTime(time) {
    if (typeof time !== 'number')
        throw invalidArgType('time', 'of type number', time);
    if (time < 0)
        throw invalidArgValue('time', 'positive integer', `${time}`);
}

// Date, whose current time is now().
function makeDate(RealDate, now) {
    function MockDate(year, month, date, hours, minutes, seconds, ms) {
        if (new.target === undefined)
            return new RealDate(now()).toString();
        const args = [year, month, date, hours, minutes, seconds, ms]
            .slice(0, arguments.length);
        return args.length === 0 ? new RealDate(now()) : new RealDate(...args);
    }
    const { prototype, ...descriptors } = Object.getOwnPropertyDescriptors(RealDate);
    Object.defineProperties(MockDate, descriptors);
    MockDate.now = () => now();
    Object.defineProperties(MockDate, {
        now: { enumerable: false },
        prototype: { value: prototype.value },
        toString: { value: function toString() { return Function.prototype.toString.call(RealDate); },
            enumerable: true, writable: true, configurable: true },
        isMock: { value: true, enumerable: true, writable: false, configurable: false },
    });
    return MockDate;
}

class MockTimers {
    #isEnabled = false;
    #now = 0;
    #lastId = 1;
    #timers = []; // sorted by runAt; those of one time in the order of their start
    #replaced = []; // [object, key, descriptor]

    // ---- replacing ----

    #replace(object, key, value) {
        const descriptor = Object.getOwnPropertyDescriptor(object, key);
        this.#replaced.push([object, key, descriptor]);
        Object.defineProperty(object, key, { value, writable: true, configurable: true,
            enumerable: descriptor?.enumerable ?? true });
    }

    #replaceTimer(name, set, clear) {
        const { node } = require('timers/timers');
        const cleared = name.replace('set', 'clear');
        for (const object of [globalThis, node]) {
            this.#replace(object, name, set);
            this.#replace(object, cleared, clear);
        }
    }

    #replaceAll(apis) {
        const start = this.#start.bind(this, false), promises = require('timers/promises');
        const clear = this.#clear.bind(this);
        if (apis.includes('setTimeout')) {
            this.#replaceTimer('setTimeout', start, clear);
            this.#replace(promises, 'setTimeout', (delay, value, options) =>
                this.#wait(delay, value, options));
        }
        if (apis.includes('setInterval')) {
            this.#replaceTimer('setInterval', this.#start.bind(this, true), clear);
            this.#replace(promises, 'setInterval', (delay, value, options) =>
                this.#repeat(delay, value, options));
        }
        if (apis.includes('setImmediate')) {
            this.#replaceTimer('setImmediate', (callback, ...args) =>
                this.#start(false, callback, -1, ...args), clear);
            this.#replace(promises, 'setImmediate', (value, options) =>
                this.#wait(-1, value, options));
        }
        if (apis.includes('Date'))
            this.#replace(globalThis, 'Date', makeDate(Date, () => this.#now));
    }

    // ---- timers ----

    #start(isInterval, callback, delay, ...args) {
        delay = Number(delay);
        if (Number.isNaN(delay) || delay > TIMEOUT_MAX)
            delay = 1;
        if (isInterval)
            delay = Math.max(delay, 1);
        const timer = new Timeout({ id: this.#lastId++, callback, runAt: this.#now + delay,
            interval: isInterval ? delay : undefined, args });
        this.#insert(timer);
        return timer;
    }

    #insert(timer) {
        let at = this.#timers.length;
        while (at > 0 && this.#timers[at - 1].runAt > timer.runAt)
            at--;
        this.#timers.splice(at, 0, timer);
    }

    #clear(timer) {
        if (timer === null || typeof timer !== 'object')
            return;
        timer.interval = undefined;
        const at = this.#timers.indexOf(timer);
        if (at >= 0)
            this.#timers.splice(at, 1);
    }

    #run(timer) {
        this.#timers.shift();
        try {
            Reflect.apply(timer.callback, undefined, timer.args);
        } finally {
            if (timer.interval !== undefined) {
                timer.runAt += timer.interval;
                this.#insert(timer);
            }
        }
    }

    // ---- timers/promises ----

    #wait(delay, value, options = {}) {
        const { signal } = options;
        if (signal?.aborted)
            return Promise.reject(abortError(signal));
        return new Promise((resolve, reject) => {
            const timer = this.#start(false, () => {
                signal?.removeEventListener('abort', onAbort);
                resolve(value);
            }, delay);
            const onAbort = () => {
                this.#clear(timer);
                reject(abortError(signal));
            };
            signal?.addEventListener('abort', onAbort, { once: true });
        });
    }

    async* #repeat(delay, value, options = {}) {
        const { signal } = options;
        let due = 0, wake;
        if (signal?.aborted)
            throw abortError(signal);
        const timer = this.#start(true, () => { due++; wake?.(); }, delay);
        const onAbort = () => wake?.();
        signal?.addEventListener('abort', onAbort, { once: true });
        try {
            for (;;) {
                if (signal?.aborted)
                    throw abortError(signal);
                if (due === 0)
                    await new Promise((resolve) => { wake = resolve; });
                for (; due > 0; due--)
                    yield value;
            }
        } finally {
            this.#clear(timer);
            signal?.removeEventListener('abort', onAbort);
        }
    }

    // ---- for programs ----

    #checkEnabled() {
        if (!this.#isEnabled)
            throw invalidState('You should enable MockTimers first by calling the ' +
                '.enable function');
    }

    tick(time = 1) {
        this.#checkEnabled();
        checkTime(time);
        this.#now += time;
        while (this.#timers.length > 0 && this.#timers[0].runAt <= this.#now)
            this.#run(this.#timers[0]);
    }

    enable(options = {}) {
        if (this.#isEnabled)
            throw invalidState('MockTimers is already enabled!');
        const apis = options.apis ?? supported;
        let { now = 0 } = options;
        if (!Array.isArray(apis))
            throw invalidArgType('options.apis', 'an instance of Array', apis);
        for (const name of apis)
            if (!supported.includes(name))
                throw invalidArgValue('options.apis', name,
                    `option ${name} is not supported`);
        if (now instanceof Date)
            now = now.getTime();
        if (typeof now !== 'number')
            throw invalidArgType('initialTime', 'of type number', now);
        checkTime(now);
        this.#now = now;
        this.#isEnabled = true;
        this.#replaceAll(apis);
    }

    setTime(time = 0) {
        this.#checkEnabled();
        checkTime(time);
        this.#now = time;
    }

    [Symbol.dispose]() {
        this.reset();
    }

    reset() {
        if (!this.#isEnabled)
            return;
        for (let i = this.#replaced.length - 1; i >= 0; i--) {
            const [object, key, descriptor] = this.#replaced[i];
            if (descriptor === undefined)
                delete object[key];
            else
                Object.defineProperty(object, key, descriptor);
        }
        this.#replaced = [];
        this.#timers = [];
        this.#now = 0;
        this.#isEnabled = false;
    }

    runAll() {
        this.#checkEnabled();
        const last = this.#timers[this.#timers.length - 1];
        if (last !== undefined)
            this.tick(Math.max(0, last.runAt - this.#now));
    }
}

module.exports = MockTimers;
