// SPDX-License-Identifier: MIT
// nodehttp/common -- methods, statuses, and what may be in a head.
'use strict';

const { coded } = require('core/errors');

const METHODS = [
    'ACL', 'BIND', 'CHECKOUT', 'CONNECT', 'COPY', 'DELETE', 'GET', 'HEAD', 'LINK', 'LOCK',
    'M-SEARCH', 'MERGE', 'MKACTIVITY', 'MKCALENDAR', 'MKCOL', 'MOVE', 'NOTIFY', 'OPTIONS',
    'PATCH', 'POST', 'PROPFIND', 'PROPPATCH', 'PURGE', 'PUT', 'QUERY', 'REBIND', 'REPORT',
    'SEARCH', 'SOURCE', 'SUBSCRIBE', 'TRACE', 'UNBIND', 'UNLINK', 'UNLOCK', 'UNSUBSCRIBE',
];

const STATUS_CODES = {
    100: 'Continue', 101: 'Switching Protocols', 102: 'Processing', 103: 'Early Hints',
    200: 'OK', 201: 'Created', 202: 'Accepted', 203: 'Non-Authoritative Information',
    204: 'No Content', 205: 'Reset Content', 206: 'Partial Content', 207: 'Multi-Status',
    208: 'Already Reported', 226: 'IM Used', 300: 'Multiple Choices', 301: 'Moved Permanently',
    302: 'Found', 303: 'See Other', 304: 'Not Modified', 305: 'Use Proxy',
    307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request',
    401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found',
    405: 'Method Not Allowed', 406: 'Not Acceptable', 407: 'Proxy Authentication Required',
    408: 'Request Timeout', 409: 'Conflict', 410: 'Gone', 411: 'Length Required',
    412: 'Precondition Failed', 413: 'Payload Too Large', 414: 'URI Too Long',
    415: 'Unsupported Media Type', 416: 'Range Not Satisfiable', 417: 'Expectation Failed',
    418: "I'm a Teapot", 421: 'Misdirected Request', 422: 'Unprocessable Entity', 423: 'Locked',
    424: 'Failed Dependency', 425: 'Too Early', 426: 'Upgrade Required',
    428: 'Precondition Required', 429: 'Too Many Requests',
    431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons',
    500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway',
    503: 'Service Unavailable', 504: 'Gateway Timeout', 505: 'HTTP Version Not Supported',
    506: 'Variant Also Negotiates', 507: 'Insufficient Storage', 508: 'Loop Detected',
    509: 'Bandwidth Limit Exceeded', 510: 'Not Extended',
    511: 'Network Authentication Required',
};

const token = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
// Anything but tab, visible characters and those beyond ASCII.
const invalidValue = /[^\t\x20-\x7e\x80-\xff]/;

const isToken = (value) => token.test(value);
const hasInvalidChar = (value) => invalidValue.test(value);

function validateHeaderName(name, label) {
    if (typeof name !== 'string' || !name || !token.test(name))
        throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN',
            `${label || 'Header name'} must be a valid HTTP token ["${name}"]`);
}

function validateHeaderValue(name, value) {
    if (value === undefined)
        throw coded(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE',
            `Invalid value "${value}" for header "${name}"`);
    if (invalidValue.test(value))
        throw coded(TypeError, 'ERR_INVALID_CHAR',
            `Invalid character in header content ["${name}"]`);
}

// The line with the date, which changes once a second.
let date = '', dateUntil = 0;
function dateLine() {
    const now = Date.now();
    if (now >= dateUntil || now < dateUntil - 1000) {
        date = `Date: ${new Date(now).toUTCString()}\r\n`;
        dateUntil = now - now % 1000 + 1000;
    }
    return date;
}

// The error of a connection that ended early.
function hangUp(message) {
    const error = new Error(message);
    error.code = 'ECONNRESET';
    return error;
}

// A code of llhttp for what the parser says.
const refusals = [
    [/expected CR\b/i, 'HPE_CR_EXPECTED'],
    [/expected LF\b/i, 'HPE_LF_EXPECTED'],
    [/method/i, 'HPE_INVALID_METHOD'],
    [/version/i, 'HPE_INVALID_VERSION'],
    [/^transfer-encoding|transfer coding/i, 'HPE_INVALID_TRANSFER_ENCODING'],
    [/content-length already|duplicate content-length/i, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    [/content-length/i, 'HPE_INVALID_CONTENT_LENGTH'],
    [/chunk extensions/i, 'HPE_CHUNK_EXTENSIONS_OVERFLOW'],
    [/chunk size/i, 'HPE_INVALID_CHUNK_SIZE'],
    [/\burl\b|^the target/i, 'HPE_INVALID_URL'],
    [/token|header/i, 'HPE_INVALID_HEADER_TOKEN'],
    [/end|truncated/i, 'HPE_INVALID_EOF_STATE'],
];
function refusalCode(text) {
    return refusals.find(([pattern]) => pattern.test(text))?.[1] ?? 'HPE_INVALID_CONSTANT';
}

// Marks what stands for a connection that is already served.
const kIsServed = Symbol('isServed');

module.exports = { kIsServed, METHODS, STATUS_CODES, hangUp, hasInvalidChar, isToken, refusalCode, dateLine,
    validateHeaderName, validateHeaderValue };
