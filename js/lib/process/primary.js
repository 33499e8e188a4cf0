// SPDX-License-Identifier: MIT
// process/primary -- `cluster` in the process that forks the workers.
//
// The primary owns the sockets of its workers' servers.  The first worker that
// asks for an address makes it listen there; it stops when the last one has
// closed its server, or is gone.
'use strict';

const EventEmitter = require('events/events');
const path = require('fs/path');
const { nextTick } = require('timers/timers');
const { fork } = require('process/child_process');
const { Worker } = require('process/clusterworker');
const { RoundRobin } = require('process/roundrobin');
const { SharedSocket, UDP } = require('process/sharedsocket');
const intercom = require('process/intercom');
const process = require('program/process');

const SCHED_NONE = 1, SCHED_RR = 2;

const cluster = new EventEmitter();
const handles = new Map(); // key of a place -> RoundRobin or SharedSocket
const ended = new EventEmitter(); // 'disconnect': no worker is left

Object.assign(cluster, { isWorker: false, isMaster: true, isPrimary: true, Worker,
    workers: {}, settings: {}, SCHED_NONE, SCHED_RR,
    schedulingPolicy: process.env.NODE_CLUSTER_SCHED_POLICY === 'none' ? SCHED_NONE : SCHED_RR });
module.exports = cluster;

// ---- forking ----

let policy; // of the cluster, from the first setupPrimary() on
let lastId = 0;

function setupPrimary(options) {
    const settings = { args: process.argv.slice(2), exec: process.argv[1],
        execArgv: process.execArgv, silent: false, ...cluster.settings, ...options };
    cluster.settings = settings;
    if (policy === undefined) {
        if (cluster.schedulingPolicy !== SCHED_NONE && cluster.schedulingPolicy !== SCHED_RR)
            throw Object.assign(
                new Error(`Bad cluster.schedulingPolicy: ${cluster.schedulingPolicy}`),
                { code: 'ERR_INTERNAL_ASSERTION' });
        policy = cluster.schedulingPolicy;
    }
    nextTick(() => cluster.emit('setup', settings));
}

function start(id, env) {
    const { exec, args, cwd, serialization, silent, execArgv, stdio, gid, uid } =
        cluster.settings;
    return fork(exec, args, { cwd, serialization, silent, execArgv: [...execArgv], stdio, gid,
        uid, env: { ...process.env, ...env, NODE_UNIQUE_ID: `${id}` } });
}

function removeWorker(worker) {
    delete cluster.workers[worker.id];
    if (Object.keys(cluster.workers).length === 0)
        ended.emit('disconnect');
}

// `isGone`: it has sent its last message.
function removeHandles(worker, isGone) {
    for (const [key, handle] of handles)
        if (handle.remove(worker, isGone))
            handles.delete(key);
}

function onExit(worker, code, signal) {
    if (!worker.isConnected()) { // otherwise onDisconnect does it
        removeHandles(worker, true);
        removeWorker(worker);
    }
    worker.exitedAfterDisconnect = Boolean(worker.exitedAfterDisconnect);
    worker.state = 'dead';
    worker.emit('exit', code, signal);
    cluster.emit('exit', worker, code, signal);
}

function onDisconnect(worker) {
    intercom.forget(worker.process);
    removeHandles(worker, true);
    if (worker.isDead())
        removeWorker(worker);
    worker.exitedAfterDisconnect = Boolean(worker.exitedAfterDisconnect);
    worker.state = 'disconnected';
    worker.emit('disconnect');
    cluster.emit('disconnect', worker);
}

function forkWorker(env) {
    setupPrimary();
    const id = ++lastId;
    const worker = new Worker({ id, process: start(id, env) });
    worker.on('message', (message, handle) =>
        cluster.emit('message', worker, message, handle));
    worker.process.once('exit', (code, signal) => onExit(worker, code, signal));
    worker.process.once('disconnect', () => onDisconnect(worker));
    worker.process.on('internalMessage', intercom.listener((message) =>
        onMessage(worker, message)));
    nextTick(() => cluster.emit('fork', worker));
    cluster.workers[id] = worker;
    return worker;
}

// ---- what workers ask ----

// The shortest name of a Unix socket, because its length is limited.
function shorten(address) {
    const relative = path.relative(process.cwd(), address);
    return address.length < relative.length ? address : relative;
}

function make(key, query) {
    const address = query.port < 0 && typeof query.address === 'string'
        ? shorten(query.address) : query.address;
    // There is nothing to accept on UDP.
    const Kind = policy !== SCHED_RR || UDP.has(query.addressType) ? SharedSocket : RoundRobin;
    const made = new Kind(key, address, query);
    handles.set(key, made);
    return made;
}

function queryServer(worker, query) {
    if (worker.exitedAfterDisconnect)
        return;
    const key = `${query.address}:${query.port}:${query.addressType}:${query.fd}:${query.index}`;
    const found = handles.get(key) ?? make(key, query);
    found.data ??= query.data;
    found.add(worker, (errno, more, handle) => {
        if (errno !== 0 && handles.get(key) === found)
            handles.delete(key); // another worker may try again
        intercom.send(worker.process, { errno, key, ack: query.seq, data: found.data, ...more },
            handle);
    });
}

function listening(worker, { addressType, address, port, fd }) {
    const info = { addressType, address, port, fd };
    worker.state = 'listening';
    worker.emit('listening', info);
    cluster.emit('listening', worker, info);
}

const answers = {
    __proto__: null,
    queryServer,
    listening,
    online(worker) {
        worker.state = 'online';
        worker.emit('online');
        cluster.emit('online', worker);
    },
    exitedAfterDisconnect(worker, { seq }) {
        worker.exitedAfterDisconnect = true;
        intercom.send(worker.process, { ack: seq });
    },
    close(worker, { key }) {
        if (handles.get(key)?.remove(worker, false))
            handles.delete(key);
    },
};

function onMessage(worker, message) {
    answers[message.act]?.(worker, message);
}

// ---- the module ----

Object.assign(cluster, {
    setupPrimary,
    setupMaster: setupPrimary,
    fork: forkWorker,

    disconnect(callback) {
        const workers = Object.values(cluster.workers);
        if (workers.length === 0)
            nextTick(() => ended.emit('disconnect'));
        for (const worker of workers)
            if (worker.isConnected())
                worker.disconnect();
        if (typeof callback === 'function')
            ended.once('disconnect', callback);
    },
});

Worker.prototype.disconnect = function() {
    this.exitedAfterDisconnect = true;
    intercom.send(this.process, { act: 'disconnect' });
    removeHandles(this, false);
    removeWorker(this);
    return this;
};

Worker.prototype.destroy = function(signal) {
    this.process.kill(signal || 'SIGTERM');
};
