// SPDX-License-Identifier: MIT
// job -- a job as it is in the store.
'use strict';

const STATES = ['ready', 'running', 'scheduled', 'behind', 'waiting', 'done', 'dead',
    'cancelled'];

const decode = (buffer) => {
    const { TextDecoder } = require('bytes/encoding');
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer);
};

function parse(buffer) {
    return buffer === undefined ? undefined : JSON.parse(decode(buffer));
}

const dateOf = (time) => time === 0 ? undefined : new Date(time);
const bytesOf = (buffer) => new Uint8Array(buffer ?? 0);

// `info` is the object of js/jobs/show.c.
class Job {
    #payload; #result; #data;

    constructor(info) {
        this.id = info.id;
        this.queue = info.queue;
        this.state = STATES[info.state];
        this.attempt = info.attempt;
        this.attempts = info.attempts;
        this.priority = info.priority;
        this.key = info.key;
        this.unique = info.unique;
        this.addedAt = dateOf(info.addedAt);
        this.runAt = dateOf(info.runAt);
        this.finishedAt = dateOf(info.finishedAt);
        this.timeout = info.timeout === 0 ? undefined : info.timeout;
        this.token = info.token === 0 ? undefined : info.token;
        this.owner = info.owner;
        this.lease = this.state === 'running' ? info.lease : undefined; // as it was then
        this.progress = info.progress;
        this.reason = info.reason; // why the last attempt has failed
        this.#payload = info.payload;
        this.#result = info.result;
    }

    // What was added.  Throws if it is not JSON: then use `bytes`.
    get data() { return this.#data ??= parse(this.#payload); }
    get bytes() { return bytesOf(this.#payload); }
    // What the handler has returned.
    get result() { return parse(this.#result); }
    get resultBytes() { return bytesOf(this.#result); }
}

module.exports = { Job, STATES };
