// SPDX-License-Identifier: MIT
// nodehttp/http -- the module node:http.
'use strict';

const { METHODS, STATUS_CODES, validateHeaderName, validateHeaderValue } =
    require('nodehttp/common');
const agents = require('nodehttp/agent');
const { ClientRequest, request, get } = require('nodehttp/client');
const { IncomingMessage } = require('nodehttp/incoming');
const { OutgoingMessage } = require('nodehttp/outgoing');
const { ServerResponse } = require('nodehttp/response');
const { Server, createServer } = require('nodehttp/server');

// Serve a socket of another kind, by our server.  Programs that make such sockets
// emit 'connection' on a server instead.
function _connectionListener() {
    throw require('core/errors').coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED',
        'The _connectionListener() method is not implemented');
}

module.exports = {
    _connectionListener,
    METHODS,
    STATUS_CODES,
    Agent: agents.Agent,
    ClientRequest,
    IncomingMessage,
    OutgoingMessage,
    Server,
    ServerResponse,
    createServer,
    validateHeaderName,
    validateHeaderValue,
    get,
    request,
    setMaxIdleHTTPParsers(max) {
        const { invalidArgType, outOfRange } = require('core/errors');
        if (typeof max !== 'number')
            throw invalidArgType('max', 'of type number', max);
        if (!Number.isInteger(max))
            throw outOfRange('max', 'an integer', max);
        if (max < 1)
            throw outOfRange('max', '>= 1 && <= 9007199254740991', max);
    },
};

Object.defineProperties(module.exports, {
    maxHeaderSize: { get: () => 16384, enumerable: true, configurable: true },
    globalAgent: {
        get: () => agents.globalAgent,
        set(value) { agents.globalAgent = value; },
        enumerable: true, configurable: true,
    },
});
