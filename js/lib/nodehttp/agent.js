// SPDX-License-Identifier: MIT
// nodehttp/agent -- Agent: the sockets of a program's requests, by host.
'use strict';

const EventEmitter = require('events/events');
const { coded, invalidArgType, outOfRange } = require('core/errors');

const kOnKeylog = Symbol('onkeylog');

function checkCount(value, name) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (Number.isNaN(value) || value < 1)
        throw outOfRange(name, '> 0', value);
}

function Agent(options) {
    if (!(this instanceof Agent))
        return new Agent(options);
    EventEmitter.call(this);
    this.defaultPort = 80;
    this.protocol = 'http:';
    this.options = { __proto__: null, ...options };
    if (this.options.noDelay === undefined)
        this.options.noDelay = true;
    this.options.path = null; // the path of a socket is not that of a request
    this.requests = { __proto__: null };
    this.sockets = { __proto__: null };
    this.freeSockets = { __proto__: null };
    this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
    this.keepAlive = this.options.keepAlive || false;
    this.maxSockets = this.options.maxSockets || Agent.defaultMaxSockets;
    this.maxFreeSockets = this.options.maxFreeSockets || 256;
    this.scheduling = this.options.scheduling || 'lifo';
    this.maxTotalSockets = this.options.maxTotalSockets;
    this.totalSocketCount = 0;
    if (this.scheduling !== 'fifo' && this.scheduling !== 'lifo')
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
            "The argument 'scheduling' must be one of: 'fifo', 'lifo'. Received " +
            require('util/inspect').inspect(this.scheduling));
    if (this.maxTotalSockets !== undefined)
        checkCount(this.maxTotalSockets, 'maxTotalSockets');
    else
        this.maxTotalSockets = Infinity;
    this.on('free', (socket, given) => release(this, socket, given));
}
Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Agent, EventEmitter);
Agent.defaultMaxSockets = Infinity;

// A request has no more use for its socket.
function release(agent, socket, options) {
    const name = agent.getName(options);
    if (!socket.writable) {
        socket.destroy();
        return;
    }
    const waiting = agent.requests[name];
    if (waiting?.length > 0) {
        const req = waiting.shift();
        if (waiting.length === 0)
            delete agent.requests[name];
        assign(agent, req, socket);
        return;
    }
    const req = socket._httpMessage;
    if (!req || !req.shouldKeepAlive || !agent.keepAlive) {
        socket.destroy();
        return;
    }
    const free = agent.freeSockets[name] || [];
    const count = free.length + (agent.sockets[name]?.length ?? 0);
    if (agent.totalSocketCount > agent.maxTotalSockets || count > agent.maxSockets ||
        free.length >= agent.maxFreeSockets || !agent.keepSocketAlive(socket)) {
        socket.destroy();
        return;
    }
    agent.freeSockets[name] = free;
    socket._httpMessage = null;
    agent.removeSocket(socket, options);
    socket.once('error', onFreeError);
    free.push(socket);
}

function onFreeError() {
    this.destroy();
    this.emit('agentRemove');
}

Agent.prototype.createConnection = function createConnection(...args) {
    return require('net/net').createConnection(...args);
};

Agent.prototype.getName = function getName(options = {}) {
    let name = `${options.host || 'localhost'}:${options.port || ''}:` +
        `${options.localAddress || ''}`;
    if (options.family === 4 || options.family === 6)
        name += `:${options.family}`;
    if (options.socketPath)
        name += `:${options.socketPath}`;
    return name;
};

// The options of a socket for a request.
function socketOptions(agent, req, given) {
    const options = { __proto__: null, ...given, ...agent.options };
    if (options.socketPath)
        options.path = options.socketPath;
    if (!options.servername && options.servername !== '')
        options.servername = serverName(options, req);
    return options;
}

function serverName(options, req) {
    const host = req.getHeader('host');
    if (typeof host !== 'string' || host === '')
        return isIp(options.host) ? '' : options.host;
    const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':', 1)[0];
    return isIp(name) ? '' : name;
}

const isIp = (name) => require('net/address').isIP(name) !== 0;

// A free socket that is still good.
function takeFree(agent, name) {
    const free = agent.freeSockets[name];
    if (free === undefined)
        return undefined;
    while (free.length > 0 && free[0].destroyed)
        free.shift();
    const socket = agent.scheduling === 'fifo' ? free.shift() : free.pop();
    if (free.length === 0)
        delete agent.freeSockets[name];
    return socket;
}

Agent.prototype.addRequest = function addRequest(req, options, port, localAddress) {
    if (typeof options === 'string')
        options = { __proto__: null, host: options, port, localAddress };
    options = socketOptions(this, req, options);
    const name = this.getName(options);
    this.sockets[name] ??= [];
    const socket = takeFree(this, name);
    const count = (this.freeSockets[name]?.length ?? 0) + this.sockets[name].length;
    if (socket) {
        this.reuseSocket(socket, req);
        assign(this, req, socket);
        this.sockets[name].push(socket);
    } else if (count < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
        this.createSocket(req, options, (error, made) => {
            if (error)
                req.onSocket(made, error);
            else
                assign(this, req, made);
        });
    } else {
        (this.requests[name] ??= []).push(req);
        req._agentOptions = options;
    }
};

Agent.prototype.createSocket = function createSocket(req, given, callback) {
    const options = socketOptions(this, req, given);
    const name = this.getName(options);
    options._agentKey = name;
    options.encoding = null;
    let isDone = false;
    const done = (error, socket) => {
        if (isDone)
            return;
        isDone = true;
        if (error) {
            callback(error);
            return;
        }
        (this.sockets[name] ??= []).push(socket);
        this.totalSocketCount++;
        listen(this, socket, options);
        callback(null, socket);
    };
    if (this.keepAlive) {
        options.keepAlive = this.keepAlive;
        options.keepAliveInitialDelay = this.keepAliveMsecs;
    }
    const socket = this.createConnection(options, done);
    if (socket)
        done(null, socket);
};

function listen(agent, socket, options) {
    const onFree = () => agent.emit('free', socket, options);
    const onClose = () => {
        agent.totalSocketCount--;
        agent.removeSocket(socket, options);
    };
    const onTimeout = () => {
        for (const name of Object.keys(agent.freeSockets))
            if (agent.freeSockets[name].includes(socket)) {
                socket.destroy();
                return;
            }
    };
    const onRemove = () => {
        agent.totalSocketCount--;
        agent.removeSocket(socket, options);
        socket.removeListener('close', onClose);
        socket.removeListener('free', onFree);
        socket.removeListener('timeout', onTimeout);
        socket.removeListener('agentRemove', onRemove);
    };
    socket.on('free', onFree);
    socket.on('close', onClose);
    socket.on('timeout', onTimeout);
    socket.on('agentRemove', onRemove);
    if (agent[kOnKeylog])
        socket.on('keylog', agent[kOnKeylog]);
}

function removeFrom(lists, name, socket) {
    const at = lists[name]?.indexOf(socket) ?? -1;
    if (at < 0)
        return;
    lists[name].splice(at, 1);
    if (lists[name].length === 0)
        delete lists[name];
}

Agent.prototype.removeSocket = function removeSocket(socket, options) {
    const name = this.getName(options);
    removeFrom(this.sockets, name, socket);
    if (!socket.writable)
        removeFrom(this.freeSockets, name, socket);
    let waiting = this.requests[name], key = name;
    if (!waiting?.length) {
        // Another host may have waited for the total.
        key = Object.keys(this.requests).find((each) => this.requests[each].length > 0 &&
            !this.sockets[each]?.length);
        waiting = this.requests[key];
    }
    if (!waiting?.length || this.totalSocketCount >= this.maxTotalSockets ||
        (this.sockets[key]?.length ?? 0) >= this.maxSockets)
        return;
    const req = waiting[0];
    this.createSocket(req, req._agentOptions ?? options, (error, made) => {
        if (error)
            req.onSocket(made, error);
        else
            made.emit('free');
    });
};

Agent.prototype.keepSocketAlive = function keepSocketAlive(socket) {
    socket.setKeepAlive(true, this.keepAliveMsecs);
    socket.unref();
    let timeout = this.options.timeout || 0;
    const hint = /^timeout=(\d+)/.exec(socket._httpMessage?.res?.headers['keep-alive'] ?? '')?.[1];
    if (hint !== undefined) {
        const hinted = Number(hint) * 1000;
        if (hinted === 0)
            return false;
        if (timeout === 0 || hinted < timeout)
            timeout = hinted;
    }
    if (socket.timeout !== timeout)
        socket.setTimeout(timeout);
    return true;
};

Agent.prototype.reuseSocket = function reuseSocket(socket, req) {
    socket.removeListener('error', onFreeError);
    req.reusedSocket = true;
    socket.ref();
};

Agent.prototype.destroy = function destroy() {
    for (const lists of [this.freeSockets, this.sockets])
        for (const name of Object.keys(lists))
            for (const socket of lists[name].slice())
                socket.destroy();
};

function assign(agent, req, socket) {
    req.onSocket(socket);
    const timeout = agent.options.timeout || 0;
    if (req.timeout === undefined || req.timeout === timeout)
        return;
    socket.setTimeout(req.timeout);
}

let globalAgent;

module.exports = {
    Agent,
    get globalAgent() {
        return globalAgent ??= new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });
    },
    set globalAgent(value) { globalAgent = value; },
};
