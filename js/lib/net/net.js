// SPDX-License-Identifier: MIT
// net -- Node's module for TCP and Unix sockets.
'use strict';

const { isIP, isIPv4, isIPv6, SocketAddress, BlockList } = require('net/address');
const { Socket, normalize } = require('net/socket');
const { Server } = require('net/server');
const { defaults } = require('net/connect');
const check = require('net/check');

function createServer(options, listener) {
    return new Server(options, listener);
}

function connect(...args) {
    const normalized = normalize(args), [options] = normalized;
    const socket = new Socket(options);
    if (options.timeout)
        socket.setTimeout(options.timeout);
    return socket.connect(normalized);
}

module.exports = {
    _normalizeArgs: normalize,
    _setSimultaneousAccepts() {},
    BlockList,
    SocketAddress,
    connect,
    createConnection: connect,
    createServer,
    isIP,
    isIPv4,
    isIPv6,
    Server,
    Socket,
    Stream: Socket,
    getDefaultAutoSelectFamily: () => defaults.isFamilySelected,
    setDefaultAutoSelectFamily(value) {
        defaults.isFamilySelected = check.boolean(value, 'value');
    },
    getDefaultAutoSelectFamilyAttemptTimeout: () => defaults.attemptTimeout,
    setDefaultAutoSelectFamilyAttemptTimeout(value) {
        defaults.attemptTimeout = Math.max(10, check.int32(value, 'value', 1));
    },
};
