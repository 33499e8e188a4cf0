// SPDX-License-Identifier: MIT
// net/errors -- errors of the network as Node makes them.
'use strict';

const { coded } = require('core/errors');

// [name, text] of -errno
function named(err) {
    return native.errorName(-err) ?? ['UNKNOWN', 'unknown error'];
}

// -errno -> [name, text], of all that the system has
function all() {
    const map = new Map();
    for (let number = 1; number < 256; number++) {
        const found = native.errorName(number);
        if (found !== undefined)
            map.set(-number, [...found]);
    }
    return map;
}

function make(message, properties) {
    return Object.assign(new Error(message), properties);
}

function place(address, port) {
    return port && port > 0 ? ` ${address}:${port}` : address ? ` ${address}` : '';
}

// "read ECONNRESET"
function errnoError(err, syscall, detail) {
    const [code] = named(err);
    return make(`${syscall} ${code}${detail ? ` ${detail}` : ''}`,
        { errno: err, code, syscall });
}

// "connect ECONNREFUSED 127.0.0.1:1"
function addressError(err, syscall, address, port, local) {
    const [code] = named(err);
    return make(`${syscall} ${code}${place(address, port)}` +
        (local ? ` - Local (${local})` : ''),
    { errno: err, code, syscall, address, ...port ? { port } : {} });
}

// "listen EADDRINUSE: address already in use 127.0.0.1:80"
function listenError(err, address, port) {
    const [code, text] = named(err);
    return make(`listen ${code}: ${text}${place(address, port)}`,
        { code, errno: err, syscall: 'listen', address, ...port ? { port } : {} });
}

// "ENOENT: no such file or directory, watch 'x'", with another text if one is given
function pathError(err, syscall, path, given) {
    const [code, text] = named(err);
    return make(`${code}: ${given ?? text}, ${syscall} '${path}'`,
        { errno: err, syscall, code, path });
}

// The errors of all attempts, with the code of the first.
function aggregateError(errors) {
    const error = new AggregateError(errors);
    error.code = errors[0]?.code;
    return error;
}

function resetError(message) {
    return make(message, { code: 'ECONNRESET' });
}

const closed = () => coded(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed');
const closedEarly = () => coded(Error, 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION',
    'Socket closed before the connection was established');
const invalidIp = (ip) => coded(TypeError, 'ERR_INVALID_IP_ADDRESS',
    `Invalid IP address: ${ip}`);
const badFamily = (family, host, port) => Object.assign(coded(RangeError,
    'ERR_INVALID_ADDRESS_FAMILY', `Invalid address family: ${family} ${host}:${port}`),
{ host, port });

module.exports = { all, errnoError, pathError, addressError, listenError, aggregateError, resetError,
    closed, closedEarly, invalidIp, badFamily,
    nameOf: (err) => native.errorName(-err)?.[0] };
