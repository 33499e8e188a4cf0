// SPDX-License-Identifier: MIT
// process/roundrobin -- a socket on which the primary of a cluster accepts, and
// gives each connection to the worker that has been free for longest.
//
// A worker is free until a connection is on its way to it, and again when it has
// answered.  One that refuses a connection, or that dies before it has answered,
// has not served it, so another worker gets it.
'use strict';

const { Server } = require('net/server');
const { send } = require('process/intercom');

const IPV6_ONLY = 1; // of Node's flags

function placeOf(address, { port, fd, flags, backlog, readableAll, writableAll }) {
    if (fd >= 0)
        return { fd, backlog };
    if (port >= 0)
        return { port, host: address, ipv6Only: Boolean(flags & IPV6_ONLY), backlog };
    return { path: address, backlog, readableAll, writableAll };
}

class RoundRobin {
    #key;
    #server;
    #isListening = false;
    #workers = new Set();
    #free = new Set();
    #waiting = []; // connections for which no worker is free
    #leaving = new Map(); // worker -> the connection on its way to it

    constructor(key, address, query) {
        this.#key = key;
        this.#server = new Server();
        this.#server._onHandle = (handle) => this.#distribute(handle);
        this.#server.once('listening', () => { this.#isListening = true; });
        this.#server.listen(placeOf(address, query));
    }

    // callback(error, what the answer contains)
    add(worker, callback) {
        this.#workers.add(worker);
        const done = () => {
            const sockname = this.#server._handle.getsockname();
            callback(0, sockname?.address === undefined ? undefined : { sockname });
            this.#give(worker); // connections may wait
        };
        if (this.#isListening) {
            done();
            return;
        }
        this.#server.once('listening', done);
        this.#server.once('error', (error) => callback(error.errno));
    }

    // `isGone`: it will answer no more.  Returns true if no worker is left.
    remove(worker, isGone) {
        const was = this.#workers.delete(worker);
        this.#free.delete(worker);
        const handle = isGone ? this.#leaving.get(worker) : undefined;
        if (handle !== undefined) {
            this.#leaving.delete(worker);
            this.#distribute(handle);
        }
        if (!was || this.#workers.size > 0)
            return false;
        for (const each of this.#waiting.splice(0))
            each.close();
        this.#server.close();
        return true;
    }

    #distribute(handle) {
        if (this.#workers.size === 0) {
            handle.close();
            return;
        }
        this.#waiting.push(handle);
        const [worker] = this.#free;
        if (worker !== undefined) {
            this.#free.delete(worker);
            this.#give(worker);
        }
    }

    #give(worker) {
        if (!this.#workers.has(worker))
            return; // it has closed its server
        const handle = this.#waiting.shift();
        if (handle === undefined) {
            this.#free.add(worker);
            return;
        }
        this.#leaving.set(worker, handle);
        send(worker.process, { act: 'newconn', key: this.#key }, handle, ({ accepted }) => {
            this.#leaving.delete(worker);
            if (accepted)
                handle.close();
            else
                this.#distribute(handle);
            this.#give(worker);
        });
    }
}

module.exports = { RoundRobin };
