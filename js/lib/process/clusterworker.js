// SPDX-License-Identifier: MIT
// process/clusterworker -- the class Worker of a cluster.  The primary and the
// worker itself add disconnect() and destroy().
'use strict';

const EventEmitter = require('events/events');

function Worker(given) {
    if (!(this instanceof Worker))
        return new Worker(given);
    EventEmitter.call(this);
    const options = given !== null && typeof given === 'object' ? given : {};
    this.exitedAfterDisconnect = undefined;
    this.state = options.state || 'none';
    this.id = options.id | 0;
    if (options.process) {
        this.process = options.process;
        this.process.on('error', (code, signal) => this.emit('error', code, signal));
        this.process.on('message', (message, handle) => this.emit('message', message, handle));
    }
}
Object.setPrototypeOf(Worker.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Worker, EventEmitter);

Worker.prototype.kill = function(...args) {
    this.destroy(...args);
};

Worker.prototype.send = function(...args) {
    return this.process.send(...args);
};

Worker.prototype.isDead = function() {
    return this.process.exitCode != null || this.process.signalCode != null;
};

Worker.prototype.isConnected = function() {
    return this.process.connected;
};

module.exports = { Worker };
