// SPDX-License-Identifier: MIT
// net/resolver -- the records of DNS servers, for dns and dns/promises.
'use strict';

const check = require('net/check');
const { isIP } = require('net/address');
const { invalidIp } = require('net/errors');
const { coded, invalidArgType, invalidArgValue } = require('core/errors');
const process = require('program/process');

const DNS_PORT = 53;

// ---- errors ----

const errorCodes = {
    NODATA: 'ENODATA', FORMERR: 'EFORMERR', SERVFAIL: 'ESERVFAIL',
    NOTFOUND: 'ENOTFOUND', NOTIMP: 'ENOTIMP', REFUSED: 'EREFUSED',
    BADQUERY: 'EBADQUERY', BADNAME: 'EBADNAME', BADFAMILY: 'EBADFAMILY',
    BADRESP: 'EBADRESP', CONNREFUSED: 'ECONNREFUSED', TIMEOUT: 'ETIMEOUT', EOF: 'EOF',
    FILE: 'EFILE', NOMEM: 'ENOMEM', DESTRUCTION: 'EDESTRUCTION', BADSTR: 'EBADSTR',
    BADFLAGS: 'EBADFLAGS', NONAME: 'ENONAME', BADHINTS: 'EBADHINTS',
    NOTINITIALIZED: 'ENOTINITIALIZED', LOADIPHLPAPI: 'ELOADIPHLPAPI',
    ADDRGETNETWORKPARAMS: 'EADDRGETNETWORKPARAMS', CANCELLED: 'ECANCELLED',
};

// "queryA ENOTFOUND example.org".  Errors of getaddrinfo have a number, too.
function dnsError(code, syscall, hostname, errno) {
    const error = new Error(`${syscall} ${code}${hostname ? ` ${hostname}` : ''}`);
    Object.assign(error, { errno, code, syscall });
    if (hostname)
        error.hostname = hostname;
    return error;
}

// ---- records ----

const type = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33,
    NAPTR: 35, ANY: 255, CAA: 257 };
const names = new Map(Object.entries(type).map(([name, number]) => [number, name]));

// The parts of a record, in the order of js/net/records.c, behind type and TTL.
const parts = {
    __proto__: null,
    MX: ['exchange', 'priority'],
    SRV: ['name', 'port', 'priority', 'weight'],
    SOA: ['nsname', 'hostmaster', 'serial', 'refresh', 'retry', 'expire', 'minttl'],
    NAPTR: ['flags', 'service', 'regexp', 'replacement', 'order', 'preference'],
};

// Node's order of the parts of a CAA record: {critical, issue}
function shape(name, record) {
    const [, , first, second, third] = record;
    if (name === 'CAA')
        return { critical: first, [second]: third };
    const keys = parts[name];
    return keys === undefined ? first
        : Object.fromEntries(keys.map((key, i) => [key, record[i + 2]]));
}

function shapeAny(record) {
    const name = names.get(record[0]), value = shape(name, record);
    switch (name) {
    case 'A':
    case 'AAAA':
        return { address: value, ttl: record[1], type: name };
    case 'TXT':
        return { entries: value, type: name };
    case 'CNAME':
    case 'NS':
    case 'PTR':
        return { value, type: name };
    case undefined:
        return undefined;
    default:
        return { ...value, type: name };
    }
}

function shapeAll(name, records, hasTtl) {
    if (name === 'ANY')
        return records.map(shapeAny).filter((one) => one !== undefined);
    if (name === 'SOA')
        return shape(name, records[0]);
    return records.map((record) => hasTtl ? { address: record[2], ttl: record[1] }
        : shape(name, record));
}

// ---- servers ----

function parseServer(text) {
    if (isIP(text) !== 0)
        return [text, DNS_PORT];
    const [, inner, innerPort] = /^\[([^[\]]*)\](?::(\d+))?$/.exec(text) ?? [];
    if (inner !== undefined && isIP(inner) !== 0)
        return [inner, +innerPort || DNS_PORT];
    const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(text) ?? [];
    if (host !== undefined && isIP(host) !== 0)
        return [host, +port || DNS_PORT];
    throw invalidIp(text);
}

class ResolverBase {
    constructor(options = undefined) {
        const { timeout = -1, tries = 4 } = options ?? {};
        check.int32(timeout, 'options.timeout', -1);
        check.int32(tries, 'options.tries', 1);
        this._handle = native.newResolver(timeout, tries);
    }

    cancel() {
        native.cancel(this._handle);
    }

    getServers() {
        const flat = native.getServers(this._handle), servers = [];
        for (let i = 0; i < flat.length; i += 2) {
            const [address, port] = [flat[i], flat[i + 1]];
            servers.push(!port || port === DNS_PORT ? address
                : isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`);
        }
        return servers;
    }

    setServers(servers) {
        if (!Array.isArray(servers))
            throw invalidArgType('servers', 'an instance of Array', servers);
        const err = native.setServers(this._handle, servers.flatMap((server, i) =>
            parseServer(check.string(server, `servers[${i}]`))));
        if (err !== 0)
            throw coded(Error, 'ERR_DNS_SET_SERVERS_FAILED', 'c-ares failed to set ' +
                'servers: "There are pending queries." ' +
                `[${servers}]`);
    }

    setLocalAddress(ipv4, ipv6) {
        check.string(ipv4, 'ipv4');
        if (ipv6 !== undefined)
            check.string(ipv6, 'ipv6');
        if (isIP(ipv4) === 0 || (ipv6 !== undefined && isIP(ipv6) === 0))
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'Invalid IP address.');
        if ((isIP(ipv4) === 4) === (isIP(ipv6) === 4) && ipv6 !== undefined)
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
                'Cannot specify two IPv4 or two IPv6 addresses.');
    }
}

// ---- queries ----

const syscalls = { ANY: 'queryAny', A: 'queryA', AAAA: 'queryAaaa', CAA: 'queryCaa',
    CNAME: 'queryCname', MX: 'queryMx', NS: 'queryNs', TXT: 'queryTxt', SRV: 'querySrv',
    PTR: 'queryPtr', NAPTR: 'queryNaptr', SOA: 'querySoa' };

// Ask; done(error, result) is called later.
function ask(resolver, name, host, hasTtl, done) {
    const err = native.query(resolver._handle, host, type[name], (code, records) => {
        if (code !== null)
            done(dnsError(code, syscalls[name], host));
        else
            done(null, shapeAll(name, records, hasTtl));
    });
    if (err !== 0)
        done(dnsError(err === -22 ? 'EBADNAME' : 'ENOMEM', syscalls[name], host));
}

function askReverse(resolver, address, done) {
    const fail = (code, errno) => done(dnsError(code, 'getHostByAddr', address, errno));
    if (isIP(address) === 0) {
        fail('EINVAL', -22);
        return;
    }
    const err = native.reverse(resolver._handle, address, (code, records) => {
        if (code !== null)
            fail(code);
        else
            done(null, records.map((record) => record[2]));
    });
    if (err !== 0) // such as the zone of an interface that does not exist
        process.nextTick(fail, err === -12 ? 'ENOMEM' : 'ENOTFOUND');
}

// A class whose methods are made by `method(name)` and `reverse`.
function makeClass(method, reverse) {
    class Resolver extends ResolverBase {}
    const byType = { __proto__: null };
    const titles = { ANY: 'Any', A: '4', AAAA: '6', CAA: 'Caa', CNAME: 'Cname', MX: 'Mx',
        NS: 'Ns', TXT: 'Txt', SRV: 'Srv', PTR: 'Ptr', NAPTR: 'Naptr', SOA: 'Soa' };
    for (const name of Object.keys(titles)) {
        byType[name] = method(name);
        Object.defineProperty(byType[name], 'name', { value: syscalls[name] });
        Resolver.prototype[`resolve${titles[name]}`] = byType[name];
    }
    Object.defineProperty(reverse, 'name', { value: 'getHostByAddr' });
    Resolver.prototype.reverse = reverse;
    return { Resolver, byType };
}

function methodOf(byType, rrtype) {
    const method = byType[check.string(rrtype, 'rrtype')];
    if (typeof method !== 'function')
        throw invalidArgValue('rrtype', rrtype);
    return method;
}

const shared = ['getServers', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveCaa',
    'resolveCname', 'resolveMx', 'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa',
    'resolveSrv', 'resolveTxt', 'reverse'];

// The functions of the module use one resolver, which is made on first use.
let common;

function defaultResolver() {
    return common ??= new ResolverBase();
}

function setDefaultServers(servers) {
    const resolver = new ResolverBase();
    resolver.setServers(servers);
    common = resolver;
}

function bindDefault(exports, prototype) {
    for (const key of shared)
        exports[key] = { [key](...args) {
            return Reflect.apply(prototype[key], defaultResolver(), args);
        } }[key];
}

module.exports = { errorCodes, dnsError, ask, askReverse, makeClass, methodOf, bindDefault,
    setDefaultServers };
