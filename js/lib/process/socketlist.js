// SPDX-License-Identifier: MIT
// process/socketlist -- the connections of a server that another process has got,
// so that the server knows how many there are, and when the last one is closed.
// The messages are Node's.
'use strict';

const EventEmitter = require('events/events');
const { coded } = require('core/errors');

const all = new WeakMap(); // owner of a channel -> {send, got}

// At the server.
class Sent extends EventEmitter {
    #child;
    #key;

    constructor(child, key) {
        super();
        this.#child = child;
        this.#key = key;
        child.once('exit', () => this.emit('exit', this));
    }

    #ask(cmd, answer, isSilent, callback) {
        const child = this.#child, key = this.#key;
        const onReply = (message) => {
            if (message.cmd !== answer || message.key !== key)
                return;
            stop();
            callback(null, message);
        };
        const onClose = () => {
            stop();
            callback(coded(Error, 'ERR_CHILD_CLOSED_BEFORE_REPLY',
                'Child closed before reply received'));
        };
        const stop = () => {
            child.removeListener('disconnect', onClose);
            child.removeListener('internalMessage', onReply);
        };
        if (!child.connected) {
            onClose();
            return;
        }
        child.once('disconnect', onClose);
        child.on('internalMessage', onReply);
        child._send({ cmd, key }, undefined, isSilent);
    }

    close(callback) {
        this.#ask('NODE_SOCKET_NOTIFY_CLOSE', 'NODE_SOCKET_ALL_CLOSED', true, callback);
    }

    getConnections(callback) {
        this.#ask('NODE_SOCKET_GET_COUNT', 'NODE_SOCKET_COUNT', false,
            (error, message) => callback(error, message?.count));
    }
}

// At the process that has got them.
class Got {
    #target;
    #key;
    #count = 0;
    #isAsked = false; // the server waits for the end of the last one

    constructor(target, key) {
        this.#target = target;
        this.#key = key;
        target.on('internalMessage', (message) => {
            if (message.key === key)
                this.#onMessage(message.cmd);
        });
    }

    #onMessage(cmd) {
        if (cmd === 'NODE_SOCKET_GET_COUNT') {
            this.#tell({ cmd: 'NODE_SOCKET_COUNT', count: this.#count }, false);
        } else if (cmd === 'NODE_SOCKET_NOTIFY_CLOSE') {
            this.#isAsked = true;
            this.#check();
        }
    }

    #check() {
        if (this.#count > 0 || !this.#isAsked)
            return;
        this.#isAsked = false;
        this.#tell({ cmd: 'NODE_SOCKET_ALL_CLOSED' }, true);
    }

    #tell(message, isSilent) {
        if (this.#target.connected)
            this.#target._send({ ...message, key: this.#key }, undefined, isSilent);
    }

    add(socket) {
        this.#count++;
        socket.once('close', () => {
            this.#count--;
            this.#check();
        });
    }
}

// The list of a server's connections: {list, isNew}
function listFor(direction, target, key) {
    if (!all.has(target))
        all.set(target, { send: new Map(), got: new Map() });
    const lists = all.get(target);
    const found = lists[direction].get(key);
    if (found !== undefined)
        return { list: found, isNew: false };
    const list = direction === 'send' ? new Sent(target, key) : new Got(target, key);
    lists[direction].set(key, list);
    return { list, isNew: true };
}

module.exports = { listFor };
