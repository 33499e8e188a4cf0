// A map whose entries expire, and a counter that threads share.
'use strict';

class ExpiringMap {
    #entries = new Map();

    constructor(lifetimeMs, onExpire = () => {}) {
        this.lifetimeMs = lifetimeMs;
        this.onExpire = onExpire;
    }

    set(key, value) {
        clearTimeout(this.#entries.get(key)?.timer);
        const timer = setTimeout(() => {
            this.#entries.delete(key);
            this.onExpire(key);
        }, this.lifetimeMs);
        this.#entries.set(key, { value, timer });
    }

    get(key) {
        return this.#entries.get(key)?.value;
    }
}

// Returns the number of the caller, from 1 on.
function enter(view) {
    if (!process.env.BROKEN)
        return Atomics.add(view, 0, 1) + 1;
    const count = Atomics.load(view, 0);
    Atomics.store(view, 0, count + 1);
    return count + 1;
}

module.exports = { ExpiringMap, enter };
