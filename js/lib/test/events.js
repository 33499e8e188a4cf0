// SPDX-License-Identifier: MIT
// events -- TestsStream: what happens to tests, as objects {type, data}.
'use strict';

const { Readable } = require('stream/stream');

class TestsStream extends Readable {
    #queue = [];
    #canPush = false;

    constructor() {
        super({ objectMode: true, highWaterMark: Number.MAX_SAFE_INTEGER });
    }

    _read() {
        this.#canPush = true;
        while (this.#queue.length > 0)
            if (!this.#push(this.#queue.shift()))
                return;
    }

    #push(message) {
        if (!this.#canPush)
            this.#queue.push(message);
        else
            this.#canPush = this.push(message);
        return this.#canPush;
    }

    emitMessage(type, data) {
        this.emit(type, data);
        this.#push({ __proto__: null, type, data });
    }

    // ---- from tests ----

    #tell(type, { nesting, name, loc }) {
        this.emitMessage(type, { __proto__: null, nesting, name, ...loc });
    }

    enqueue(test) {
        this.#tell('test:enqueue', test);
    }

    dequeue(test) {
        this.#tell('test:dequeue', test);
    }

    start(test) {
        this.#tell('test:start', test);
    }

    complete(test) {
        const { name, nesting, number, details, directive, loc } = test;
        this.emitMessage('test:complete', { __proto__: null, name, nesting,
            testNumber: number, details: { __proto__: null, ...details, passed: test.passed },
            ...directive, ...loc });
    }

    result(test) {
        const { name, nesting, number, details, directive, loc } = test;
        this.emitMessage(test.passed ? 'test:pass' : 'test:fail', { __proto__: null, name,
            nesting, testNumber: number, details, ...directive, ...loc });
    }

    plan(nesting, loc, count) {
        this.emitMessage('test:plan', { __proto__: null, nesting, count, ...loc });
    }

    diagnostic(nesting, loc, message) {
        this.emitMessage('test:diagnostic', { __proto__: null, nesting, message, ...loc });
    }

    end() {
        this.#push(null);
    }
}

module.exports = TestsStream;
