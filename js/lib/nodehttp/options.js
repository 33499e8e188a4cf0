// SPDX-License-Identifier: MIT
// nodehttp/options -- the arguments of a request that a program makes.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');
const agents = require('nodehttp/agent');
const { kHeaders } = require('nodehttp/fields');
const { isToken } = require('nodehttp/common');

// (url, options, callback) -> [options, callback]
function readArguments(input, options, callback) {
    if (typeof input === 'string' || isUrl(input)) {
        const { URL, urlToHttpOptions } = require('url/url');
        input = urlToHttpOptions(typeof input === 'string' ? new URL(input) : input);
    } else {
        callback = options;
        options = input;
        input = null;
    }
    if (typeof options === 'function') {
        callback = options;
        options = input || {};
    } else {
        options = Object.assign(input || {}, options);
    }
    return [options, callback];
}

const isUrl = (value) => Boolean(value?.href && value.protocol && value.auth === undefined &&
    value.path === undefined);

function checkHost(host, name) {
    if (host !== null && host !== undefined && typeof host !== 'string')
        throw invalidArgType(`options.${name}`, 'of type string or one of undefined or null', host);
    return host;
}

function duration(value, name) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (value < 0 || !Number.isFinite(value))
        throw outOfRange(name, 'a non-negative finite number', value);
    return Math.min(value, 2 ** 31 - 1);
}

function findAgent(options) {
    const { agent } = options;
    const missing = options._defaultAgent || agents.globalAgent;
    if (agent === false)
        return [new missing.constructor(), missing];
    if (agent === null || agent === undefined)
        return [typeof options.createConnection !== 'function' ? missing : undefined, missing];
    if (typeof agent.addRequest !== 'function')
        throw invalidArgType('options.agent',
            'one of Agent-like Object, undefined, or false', agent);
    return [agent, missing];
}

function checkPath(path) {
    if (path && /[^\u0021-\u00ff]/.test(String(path)))
        throw coded(TypeError, 'ERR_UNESCAPED_CHARACTERS',
            'Request path contains unescaped characters');
}

function methodOf({ method }) {
    if (method === null || method === undefined || method === '')
        return 'GET';
    if (typeof method !== 'string')
        throw invalidArgType('options.method', 'of type string', method);
    if (!isToken(method))
        throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN',
            `Method must be a valid HTTP token ["${method}"]`);
    return method.toUpperCase();
}

const withoutBody = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

function hostHeader(host, port, defaultPort) {
    const colon = host.indexOf(':');
    if (colon >= 0 && host.includes(':', colon + 1) && host[0] !== '[')
        host = `[${host}]`;
    return port && +port !== defaultPort ? `${host}:${port}` : host;
}

function setFields(req, options, defaultPort) {
    const { headers, host, port } = options;
    if (Array.isArray(headers)) {
        req._storeHeader(`${req.method} ${req.path} HTTP/1.1\r\n`, headers);
        return;
    }
    for (const name of headers ? Object.keys(headers) : []) {
        if (Array.isArray(headers[name]) && name.toLowerCase() === 'host')
            throw invalidArgType('options.headers.host', 'of type string', headers[name]);
        req.setHeader(name, headers[name]);
    }
    if (host && !req.getHeader('host') && (options.setHost ?? true))
        req.setHeader('Host', hostHeader(host, port, defaultPort));
    if (options.auth && !req.getHeader('Authorization'))
        req.setHeader('Authorization', `Basic ${require('bytes/buffer').Buffer
            .from(options.auth).toString('base64')}`);
    if (req.getHeader('expect'))
        req._storeHeader(`${req.method} ${req.path} HTTP/1.1\r\n`, req[kHeaders]);
}

function readOptions(req, options, agent, defaultAgent) {
    const protocol = options.protocol || defaultAgent.protocol;
    const expected = agent?.protocol || defaultAgent.protocol;
    checkPath(options.path);
    if (protocol !== expected)
        throw coded(TypeError, 'ERR_INVALID_PROTOCOL',
            `Protocol "${protocol}" not supported. Expected "${expected}"`);
    const defaultPort = options.defaultPort || agent?.defaultPort;
    options.port = options.port || defaultPort || 80;
    options.host = checkHost(options.hostname, 'hostname') ||
        checkHost(options.host, 'host') || 'localhost';
    req.socketPath = options.socketPath;
    if (options.timeout !== undefined)
        req.timeout = duration(options.timeout, 'timeout');
    req.method = methodOf(options);
    req.maxHeaderSize = options.maxHeaderSize;
    req.insecureHTTPParser = options.insecureHTTPParser;
    if (options.joinDuplicateHeaders !== undefined &&
        typeof options.joinDuplicateHeaders !== 'boolean')
        throw invalidArgType('options.joinDuplicateHeaders', 'of type boolean',
            options.joinDuplicateHeaders);
    req.joinDuplicateHeaders = options.joinDuplicateHeaders;
    req.path = options.path || '/';
    req.host = options.host;
    req.protocol = protocol;
    return defaultPort;
}

module.exports = { duration, findAgent, readArguments, readOptions, setFields, withoutBody };
