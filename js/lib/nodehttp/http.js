// SPDX-License-Identifier: MIT
// nodehttp/http -- the module node:http.
'use strict';

const { METHODS, STATUS_CODES, validateHeaderName, validateHeaderValue } =
    require('nodehttp/common');
const { IncomingMessage } = require('nodehttp/incoming');
const { OutgoingMessage } = require('nodehttp/outgoing');
const { ServerResponse } = require('nodehttp/response');
const { Server, createServer } = require('nodehttp/server');

module.exports = {
    METHODS: METHODS.slice().sort(),
    STATUS_CODES, IncomingMessage, OutgoingMessage, Server, ServerResponse, createServer,
    validateHeaderName, validateHeaderValue,
    setMaxIdleHTTPParsers() {},
    maxHeaderSize: 16384,
};
