// SPDX-License-Identifier: MIT
// broadcast -- BroadcastChannel of the HTML Standard, with ref and unref as in
// Node.
'use strict';

const { EventTarget, defineHandler } = require('events/eventtarget');
const { coded } = require('core/errors');
const { MessageEvent, hears, unheard } = require('messages/messaging');

function missing(name) {
    return coded(TypeError, 'ERR_MISSING_ARGS',
        `The "${name}" argument must be specified`);
}

class BroadcastChannel extends EventTarget {
    #port; #name;

    constructor(name) {
        if (arguments.length === 0)
            throw missing('name');
        super();
        this.#name = `${name}`;
        this.#port = native.join(this.#name);
        this.#port.on('message', (data) => {
            this.dispatchEvent(new MessageEvent('message', { data }));
        });
        this.#port.on('messageerror', (data) => {
            if (!hears(this, 'messageerror'))
                unheard(data);
            this.dispatchEvent(new MessageEvent('messageerror', { data }));
        });
    }

    static #check(self) {
        if (self === null || typeof self !== 'object' || !(#port in self))
            throw coded(TypeError, 'ERR_INVALID_THIS',
                'Value of "this" must be of type BroadcastChannel');
    }

    get name() {
        BroadcastChannel.#check(this);
        return this.#name;
    }

    close() {
        BroadcastChannel.#check(this);
        this.#port?.close();
        this.#port = undefined;
    }

    postMessage(message) {
        BroadcastChannel.#check(this);
        if (arguments.length === 0)
            throw missing('message');
        if (this.#port === undefined)
            throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
        native.post(this.#port, message);
    }

    ref() {
        BroadcastChannel.#check(this);
        this.#port?.ref();
        return this;
    }

    unref() {
        BroadcastChannel.#check(this);
        this.#port?.unref();
        return this;
    }

    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        return depth < 0 ? 'BroadcastChannel' : `BroadcastChannel ${inspect(
            { name: this.#name, active: this.#port !== undefined }, options)}`;
    }
}
for (const key of ['name', 'close', 'postMessage'])
    Object.defineProperty(BroadcastChannel.prototype, key, { enumerable: true });
defineHandler(BroadcastChannel.prototype, 'message');
defineHandler(BroadcastChannel.prototype, 'messageerror');

module.exports = BroadcastChannel;
