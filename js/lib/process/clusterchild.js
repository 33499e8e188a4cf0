// SPDX-License-Identifier: MIT
// process/clusterchild -- `cluster` in a worker.
//
// A server that listens, or a UDP socket that is bound, asks the primary
// (net/sharing).  It gets either the primary's socket, or a handle that stands for
// it and takes the connections that the primary sends.
'use strict';

const EventEmitter = require('events/events');
const path = require('fs/path');
const timers = require('timers/timers');
const sharing = require('net/sharing');
const { Worker } = require('process/clusterworker');
const intercom = require('process/intercom');
const process = require('program/process');

const LONGEST = 2 ** 31 - 1; // milliseconds of a timer

const cluster = new EventEmitter();
const handles = new Map(); // key of a place -> {handle, owner}
const indexes = new Map(); // place -> {next, used}: of servers that ask for the same

Object.assign(cluster, { isWorker: true, isMaster: false, isPrimary: false, worker: null,
    Worker });
module.exports = cluster;

const send = (message, callback) => intercom.send(process, message, undefined, callback);

// Before any code of the program runs.
cluster._setupWorker = function() {
    const worker = cluster.worker = new Worker({ id: +process.env.NODE_UNIQUE_ID | 0, process,
        state: 'online' });
    process.once('disconnect', () => {
        worker.emit('disconnect');
        if (!worker.exitedAfterDisconnect)
            process.exit(0); // the primary is gone
    });
    process.on('internalMessage', intercom.listener((message, handle) => {
        if (message.act === 'newconn')
            onConnection(message, handle);
        else if (message.act === 'disconnect')
            leave(worker, true);
    }));
    send({ act: 'online' });
    sharing.ask = ask;
};

// ---- places ----

// The first server of each worker that asks for a place shares one socket, the
// second another.
function takeIndex(place) {
    let found = indexes.get(place);
    if (found === undefined)
        indexes.set(place, found = { next: 0, used: new Set() });
    found.used.add(found.next);
    return found.next++;
}

function freeIndex(place, index) {
    const found = indexes.get(place);
    found?.used.delete(index);
    if (found?.used.size === 0)
        indexes.delete(place);
}

function ask(owner, given, callback) {
    const query = { ...given };
    if (query.port < 0 && typeof query.address === 'string' && query.address[0] !== '\0')
        query.address = path.resolve(query.address);
    const place = [query.address, query.port, query.addressType, query.fd].join(':');
    const index = takeIndex(place);
    const message = { act: 'queryServer', index, data: owner._getServerData?.() ?? null,
        ...query };
    send(message, (reply, descriptor) => {
        owner._setServerData?.(reply.data);
        const close = () => {
            send({ act: 'close', key: reply.key });
            handles.delete(reply.key);
            freeIndex(place, index);
        };
        if (reply.errno)
            freeIndex(place, index);
        if (descriptor !== undefined)
            callback(reply.errno ?? 0, { descriptor, track: (handle) =>
                track(owner, reply.key, handle, close) });
        else
            callback(reply.errno ?? 0, reply.errno ? undefined
                : { handle: stand(owner, reply, close) });
    });
    owner.once('listening', () => {
        if (!indexes.has(place))
            return; // it was closed
        cluster.worker.state = 'listening';
        const address = owner.address();
        send({ ...message, act: 'listening', port: address?.port || query.port });
    });
}

// The primary's own socket, once it has a handle here: tell when that is closed.
function track(owner, key, handle, onClose) {
    if (handle === undefined) { // it could not be used
        onClose();
        return;
    }
    const { close } = handle;
    handle.close = function (...args) {
        onClose();
        return close.apply(this, args);
    };
    handles.set(key, { handle, owner });
}

// What stands for a socket of the primary, as the `_handle` of a server.
class Stand {
    acceptor; // set by the server
    #sockname;
    #onClose;
    #timer; // keeps the process running

    constructor(sockname, onClose) {
        this.#sockname = sockname;
        this.#onClose = onClose;
        this.ref();
    }

    getsockname() { return this.#onClose ? this.#sockname : undefined; }
    hasRef() { return this.#timer !== undefined; }

    ref() {
        if (this.#onClose)
            this.#timer ??= timers.setInterval(() => {}, LONGEST);
    }

    unref() {
        timers.clearInterval(this.#timer);
        this.#timer = undefined;
    }

    close() {
        const onClose = this.#onClose;
        if (onClose === undefined)
            return;
        this.#onClose = undefined;
        this.unref();
        this.acceptor?.close();
        onClose();
    }
}

function stand(owner, { key, sockname }, onClose) {
    const handle = new Stand(sockname, onClose);
    handles.set(key, { handle, owner });
    return handle;
}

// ---- connections ----

// The answer comes first: from then on the connection is ours.
function onConnection({ key, seq }, descriptor) {
    const found = handles.get(key), owner = found?.owner;
    const isFull = owner?.maxConnections && owner._connections >= owner.maxConnections;
    const accepted = Boolean(found?.handle.acceptor) && !isFull;
    send({ ack: seq, accepted });
    if (accepted)
        found.handle.acceptor.take(descriptor);
    else
        descriptor?.close();
}

// ---- the end ----

// Close the servers, wait for their connections, and disconnect from the primary.
function leave(worker, isAsked) {
    let left = 1;
    const check = () => {
        if (--left > 0)
            return;
        if (isAsked)
            process.disconnect();
        else // or the primary takes it for a crash
            send({ act: 'exitedAfterDisconnect' }, () => process.disconnect());
    };
    worker.exitedAfterDisconnect = true;
    for (const { owner } of [...handles.values()]) {
        left++;
        if (owner._leave)
            owner._leave(check);
        else
            owner.close(check);
    }
    handles.clear();
    check();
}

Worker.prototype.disconnect = function() {
    if (this.state !== 'disconnecting' && this.state !== 'destroying') {
        this.state = 'disconnecting';
        leave(this, false);
    }
    return this;
};

Worker.prototype.destroy = function() {
    if (this.state === 'destroying')
        return;
    this.exitedAfterDisconnect = true;
    if (!this.isConnected())
        process.exit(0);
    this.state = 'destroying';
    process.once('disconnect', () => process.exit(0));
    send({ act: 'exitedAfterDisconnect' }, () => process.disconnect());
};
