// SPDX-License-Identifier: MIT
// net/connect -- how a net.Socket finds and tries the addresses of a host.
'use strict';

const check = require('net/check');
const { isIP } = require('net/address');
const { addressError, aggregateError, invalidIp, badFamily } = require('net/errors');
const { coded, invalidArgType } = require('core/errors');
const timers = require('timers/timers');
const process = require('program/process');

const defaults = { isFamilySelected: true, attemptTimeout: 250 };
const ECANCELED = -125, ETIMEDOUT = -110;
const bindErrors = [-98, -99, -13, -22]; // EADDRINUSE, EADDRNOTAVAIL, EACCES, EINVAL

function anyAddress(family) {
    return family === 6 ? '::' : '0.0.0.0';
}

// ---- one address ----

// Why an attempt failed.  The kernel binds the local address in the same step.
function errorOf(attempt, status) {
    const { address, port, localAddress, localPort } = attempt;
    if (localAddress && bindErrors.includes(status))
        return addressError(status, 'bind', localAddress, localPort);
    if (!localAddress || !localPort)
        return addressError(status, 'connect', address, port);
    return Object.assign(addressError(status, 'connect', address, port,
        `${localAddress}:${localPort}`), { localAddress, localPort });
}

// Begin an attempt; `done(status)` is called later, unless an error is returned.
function begin(socket, attempt, done) {
    const { address, port, family, localAddress, localPort } = attempt;
    socket.emit('connectionAttempt', address, port, family);
    if (socket._handle === null)
        return ECANCELED; // a listener has destroyed it
    try {
        return family === undefined ? socket._handle.connectPath(address, done)
            : socket._handle.connect(address, port, localAddress, localPort, done);
    } catch (error) { // it is not permitted
        socket.destroy(error);
        return ECANCELED;
    }
}

function connectTo(socket, address, port, family, localAddress, localPort) {
    const attempt = { address, port, family, localPort,
        localAddress: localAddress || (localPort ? anyAddress(family) : undefined) };
    const fail = (status) => {
        const error = errorOf(attempt, status);
        socket.emit('connectionAttemptFailed', address, port, family, error);
        socket.destroy(error);
    };
    const err = begin(socket, attempt, (status) => {
        if (socket.destroyed)
            return;
        if (status === 0) {
            socket._connected();
        } else {
            socket.connecting = false;
            socket._sockname = null;
            fail(status);
        }
    });
    if (err !== 0 && !socket.destroyed)
        socket.destroy(errorOf(attempt, err));
}

// ---- several addresses, one after the other ----

function tryNext(search, isCanceled) {
    const { socket, addresses, errors, port, localPort } = search;
    timers.clearTimeout(search.timer);
    if (socket._aborted)
        return;
    if (isCanceled || search.next === addresses.length) {
        socket.destroy(errors.length > 0 ? aggregateError(errors)
            : coded(Error, 'ERR_SOCKET_CONNECTION_TIMEOUT', 'Socket connection timeout'));
        return;
    }
    const current = search.next++, { address, family } = addresses[current];
    if (current > 0)
        socket._newHandle();
    const attempt = { address, port, family, localPort,
        localAddress: localPort ? anyAddress(family) : undefined };
    const handle = socket._handle;
    socket.autoSelectFamilyAttemptedAddresses.push(`${address}:${port}`);
    let isOver = false;
    const fail = (status) => {
        const error = errorOf(attempt, status);
        errors.push(error);
        socket.emit('connectionAttemptFailed', address, port, family, error);
        if (socket.connecting)
            tryNext(search, status === ECANCELED);
    };
    const err = begin(socket, attempt, (status) => {
        if (isOver)
            return;
        isOver = true;
        timers.clearTimeout(search.timer);
        if (status !== 0)
            fail(status);
        else if (!socket.destroyed)
            socket._connected();
    });
    if (err !== 0) {
        fail(err);
    } else if (current < addresses.length - 1) {
        search.timer = timers.setTimeout(() => {
            socket.emit('connectionAttemptTimeout', address, port, family);
            isOver = true;
            errors.push(errorOf(attempt, ETIMEDOUT));
            handle.close();
            if (socket.connecting)
                tryNext(search);
        }, search.timeout);
    }
}

// Let the families alternate, beginning with that of the first address.
function alternate(addresses) {
    const first = addresses[0].family;
    const same = addresses.filter(({ family }) => family === first);
    const other = addresses.filter(({ family }) => family !== first);
    const sorted = [];
    for (let i = 0; i < Math.max(same.length, other.length); i++)
        sorted.push(...same.slice(i, i + 1), ...other.slice(i, i + 1));
    return sorted;
}

function isUsable({ address, family }) {
    return isIP(address) !== 0 && (family === 4 || family === 6);
}

// What is wrong with the result of a program's own lookup function.
function unusable(address, family, { host, port }) {
    return isIP(address) === 0 ? invalidIp(address) : badFamily(family, host, port);
}

function destroyLater(socket, error) {
    process.nextTick(() => socket.destroy(error));
}

function connectToAny(socket, lookup, host, query, options) {
    const { port, localPort, timeout } = options;
    lookup(host, { ...query, all: true }, (error, found) => {
        if (!socket.connecting)
            return;
        if (error) {
            socket.emit('lookup', error, undefined, undefined, host);
            destroyLater(socket, error);
            return;
        }
        for (const { address, family } of found) {
            socket.emit('lookup', error, address, family, host);
            if (!socket.connecting)
                return;
        }
        const seen = new Set();
        const usable = found.filter((one) => isUsable(one) &&
            !seen.has(one.address) && seen.add(one.address));
        if (usable.length === 0) {
            destroyLater(socket, unusable(found[0].address, found[0].family,
                options.given));
            return;
        }
        socket._unrefTimer();
        if (usable.length === 1) {
            connectTo(socket, usable[0].address, port, usable[0].family, undefined,
                localPort);
            return;
        }
        socket.autoSelectFamilyAttemptedAddresses = [];
        tryNext({ socket, addresses: alternate(usable), next: 0, port, localPort, timeout,
            timer: undefined, errors: [] });
    });
}

// ---- a host ----

function familyNumber(family) {
    return family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
}

function attemptTimeout(value) {
    return value == null ? defaults.attemptTimeout
        : Math.max(10, check.int32(value, 'options.autoSelectFamilyAttemptTimeout', 1));
}

function checkPort(port) {
    if (port === undefined)
        return 0;
    if (typeof port !== 'number' && typeof port !== 'string')
        throw invalidArgType('options.port', 'one of type number or string', port);
    return check.port(port, 'Port');
}

function connectByLookup(socket, lookup, host, query, options) {
    const { port, localAddress, localPort, given } = options;
    lookup(host, query, (error, ip, family) => {
        socket.emit('lookup', error, ip, family, host);
        socket._unrefTimer();
        if (!socket.connecting)
            return;
        if (error)
            destroyLater(socket, error);
        else if (!isUsable({ address: ip, family }))
            destroyLater(socket, unusable(ip, family, given));
        else
            connectTo(socket, ip, port, family, localAddress, localPort);
    });
}

function connectToHost(socket, given) {
    const { localAddress, localPort } = given, host = given.host || 'localhost';
    if (localAddress && isIP(localAddress) === 0)
        throw invalidIp(localAddress);
    if (localPort)
        check.number(localPort, 'options.localPort');
    const port = checkPort(given.port);
    const isSelecting = given.autoSelectFamily == null ? defaults.isFamilySelected
        : check.boolean(given.autoSelectFamily, 'options.autoSelectFamily');
    const timeout = attemptTimeout(given.autoSelectFamilyAttemptTimeout);
    const type = isIP(host);
    if (type !== 0) {
        process.nextTick(() => {
            if (socket.connecting)
                connectTo(socket, host, port, type, localAddress, localPort);
        });
        return;
    }
    if (given.lookup != null)
        check.func(given.lookup, 'options.lookup');
    const dns = require('net/dns');
    const query = { family: familyNumber(given.family), hints: given.hints || 0 };
    const isEither = query.family !== 4 && query.family !== 6;
    if (isEither && query.hints === 0)
        query.hints = dns.ADDRCONFIG;
    socket._host = host;
    const options = { port, localAddress, localPort, timeout, given };
    (isSelecting && isEither && !localAddress ? connectToAny : connectByLookup)(
        socket, given.lookup || dns.lookup, host, query, options);
}

function connectToPath(socket, path) {
    check.string(path, 'options.path');
    connectTo(socket, path);
}

module.exports = { connectToHost, connectToPath, defaults };
