// SPDX-License-Identifier: MIT
// dns -- Node's module: lookups of the system, and records of DNS servers.
'use strict';

const check = require('net/check');
const { isIP } = require('net/address');
const { coded, invalidArgType, invalidArgValue } = require('core/errors');
const { errorCodes, dnsError, ask, askReverse, makeClass, methodOf, bindDefault,
    setDefaultServers } = require('net/resolver');
const process = require('program/process');

const ADDRCONFIG = 32, ALL = 16, V4MAPPED = 8; // of getaddrinfo
const families = [0, 4, 6], orders = ['verbatim', 'ipv4first', 'ipv6first'];
const promisifyArgs = Symbol.for('nodejs.util.promisify.customArgs');
let defaultOrder = 'verbatim';
let hasWarned = false;

// ---- lookup ----

function warnOfName(hostname) {
    if (hasWarned)
        return;
    hasWarned = true;
    process.emitWarning(`The provided hostname "${hostname}" is not a valid hostname, ` +
        'and is supported in the dns module solely for compatibility.',
    'DeprecationWarning', 'DEP0118');
}

// Names and numbers that Node gives to the errors of getaddrinfo.
const lookupErrors = {
    __proto__: null,
    EAI_ADDRFAMILY: -3000, EAI_AGAIN: -3001, EAI_BADFLAGS: -3002, EAI_CANCELED: -3003,
    EAI_FAIL: -3004, EAI_FAMILY: -3005, EAI_MEMORY: -3006, EAI_NODATA: -3007,
    EAI_NONAME: -3008, EAI_OVERFLOW: -3009, EAI_SERVICE: -3010, EAI_SOCKTYPE: -3011,
};

function lookupError(name, syscall, hostname) {
    const code = name === 'EAI_NODATA' || name === 'EAI_NONAME' ? 'ENOTFOUND' : name;
    return dnsError(code, syscall, hostname, lookupErrors[name]);
}

function readFamily(options, isPromise) {
    if (!isPromise && (options.family === 'IPv4' || options.family === 'IPv6'))
        return options.family === 'IPv4' ? 4 : 6;
    return check.oneOf(options.family, 'options.family', families);
}

// {family, hints, all, order} of an object or undefined
function readOptions(options, isPromise) {
    const query = { family: 0, hints: 0, all: false, order: defaultOrder };
    if (options?.hints != null) {
        query.hints = check.number(options.hints, 'options.hints') >>> 0;
        if ((query.hints & ~(ADDRCONFIG | ALL | V4MAPPED)) !== 0)
            throw invalidArgValue('hints', query.hints);
    }
    if (options?.family != null)
        query.family = readFamily(options, isPromise);
    if (options?.all != null)
        query.all = check.boolean(options.all, 'options.all');
    if (options?.verbatim != null)
        query.order = check.boolean(options.verbatim, 'options.verbatim')
            ? 'verbatim' : 'ipv4first';
    if (options?.order != null)
        query.order = check.oneOf(options.order, 'options.order', orders);
    return query;
}

function readQuery(options, isPromise) {
    if (typeof options === 'number')
        return { ...readOptions(undefined),
            family: check.oneOf(options, 'family', families) };
    if (options !== undefined && typeof options !== 'object')
        throw invalidArgType('options', 'of type object or integer', options);
    return readOptions(options, isPromise);
}

function sorted(addresses, order) {
    if (order === 'verbatim')
        return addresses;
    const isFirst = (address) => isIP(address) === (order === 'ipv4first' ? 4 : 6);
    return [...addresses.filter(isFirst),
        ...addresses.filter((address) => !isFirst(address))];
}

// The flags of libweir-net.
function flagsOf(hints) {
    return (hints & ADDRCONFIG ? 1 : 0) | (hints & V4MAPPED ? 2 : 0) | (hints & ALL ? 4 : 0);
}

// done(error, addresses), later.
function find(hostname, { family, hints, order }, done) {
    let err;
    try {
        err = native.lookup(hostname, family, flagsOf(hints), (name, addresses) => {
            if (name !== null)
                done(lookupError(name, 'getaddrinfo', hostname));
            else
                done(null, sorted(addresses, order).map((address) =>
                    ({ address, family: family || isIP(address) })));
        });
    } catch (error) { // it is not permitted
        process.nextTick(done, error);
        return;
    }
    if (err !== 0)
        process.nextTick(done, lookupError(err === -36 || err === -22 ? 'EAI_NONAME'
            : 'EAI_MEMORY', 'getaddrinfo', hostname));
}

// What needs no lookup: undefined, or the addresses.
function known(hostname) {
    if (!hostname) {
        warnOfName(hostname);
        return [];
    }
    const family = isIP(hostname);
    return family === 0 ? undefined : [{ address: hostname, family }];
}

function lookup(hostname, options, callback) {
    if (hostname)
        check.string(hostname, 'hostname');
    const done = typeof options === 'function' ? options : callback;
    if (typeof options !== 'function' && options !== undefined &&
        typeof options !== 'object' && typeof options !== 'number')
        check.func(arguments.length === 2 ? options : callback, 'callback');
    else
        check.func(done, 'callback');
    const query = readQuery(typeof options === 'function' ? undefined : options, false);
    const now = known(hostname);
    if (now !== undefined) {
        if (query.all)
            process.nextTick(done, null, now);
        else if (now.length === 0)
            process.nextTick(done, null, null, query.family === 6 ? 6 : 4);
        else
            process.nextTick(done, null, now[0].address, now[0].family);
        return {};
    }
    find(hostname, query, (error, addresses) => {
        if (error)
            done(error);
        else if (query.all)
            done(null, addresses);
        else
            done(null, addresses[0].address, addresses[0].family);
    });
    return {};
}
Object.defineProperty(lookup, promisifyArgs, { value: ['address', 'family'] });

// ---- lookupService ----

const serviceErrors = { __proto__: null, '-2': 'EAI_NONAME', '-3': 'EAI_AGAIN',
    '-4': 'EAI_FAIL', '-6': 'EAI_FAMILY', '-10': 'EAI_MEMORY', '-12': 'EAI_OVERFLOW' };

function findService(address, port, done) {
    const err = native.lookupService(address, port, (found) => {
        if (typeof found === 'number')
            done(lookupError(serviceErrors[found] ?? 'EAI_FAIL', 'getnameinfo', address));
        else
            done(null, ...found);
    }, done);
    if (err !== 0)
        process.nextTick(done, lookupError('EAI_MEMORY', 'getnameinfo', address));
}

function checkService(address, port) {
    if (isIP(address) === 0)
        throw invalidArgValue('address', address);
    return check.port(port);
}

function lookupService(address, port, callback) {
    if (arguments.length !== 3)
        throw coded(TypeError, 'ERR_MISSING_ARGS',
            'The "address", "port", and "callback" arguments must be specified');
    const number = checkService(address, port);
    check.func(callback, 'callback');
    findService(address, number, callback);
    return {};
}
Object.defineProperty(lookupService, promisifyArgs, { value: ['hostname', 'service'] });

// ---- Resolver ----

const { Resolver, byType } = makeClass((name) => function (host, options, callback) {
    const done = arguments.length > 2 ? callback : options;
    check.string(host, 'name');
    check.func(done, 'callback');
    ask(this, name, host, Boolean(arguments.length > 2 && options?.ttl), done);
    return {};
}, function (address, callback) {
    check.string(address, 'name');
    check.func(callback, 'callback');
    let isStarted = false, thrown;
    askReverse(this, address, (error, result) => {
        if (isStarted)
            callback(error, result);
        else
            thrown = error;
    });
    isStarted = true;
    if (thrown)
        throw thrown;
    return {};
});
Resolver.prototype.resolve = function resolve(hostname, rrtype, callback) {
    if (typeof rrtype === 'string')
        return Reflect.apply(methodOf(byType, rrtype), this, [hostname, callback]);
    if (typeof rrtype === 'function')
        return Reflect.apply(byType.A, this, [hostname, rrtype]);
    throw invalidArgType('rrtype', 'of type string', rrtype);
};

// ---- promises ----

function settle(start) {
    return new Promise((resolve, reject) => start((error, result) =>
        error ? reject(error) : resolve(result)));
}

const own = makeClass((name) => function (host, options) {
    check.string(host, 'name');
    return settle((done) => ask(this, name, host, Boolean(options?.ttl), done));
}, function (address) {
    check.string(address, 'name');
    return settle((done) => askReverse(this, address, done));
});
own.Resolver.prototype.resolve = function resolve(hostname, rrtype) {
    return Reflect.apply(rrtype === undefined ? own.byType.A
        : methodOf(own.byType, rrtype), this, [hostname]);
};

const order = {
    getDefaultResultOrder: () => defaultOrder,
    setDefaultResultOrder(value) {
        defaultOrder = check.oneOf(value, 'dnsOrder', orders);
    },
};

const promises = {
    lookup(hostname, options) {
        if (hostname)
            check.string(hostname, 'hostname');
        const query = readQuery(options, true);
        const none = { address: null, family: query.family === 6 ? 6 : 4 };
        return settle((done) => {
            const now = known(hostname);
            if (now !== undefined)
                done(null, query.all ? now : now[0] ?? none);
            else
                find(hostname, query, (error, addresses) =>
                    done(error, query.all ? addresses : addresses?.[0]));
        });
    },
    lookupService(address, port) {
        if (arguments.length !== 2)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "address" and "port" arguments must be specified');
        const number = checkService(address, port);
        return settle((done) => findService(address, number,
            (error, hostname, service) => done(error, { hostname, service })));
    },
    Resolver: own.Resolver,
    ...order,
    setServers: setDefaultServers,
    ...errorCodes,
};
bindDefault(promises, own.Resolver.prototype);

module.exports = { lookup, lookupService, Resolver, ...order, setServers: setDefaultServers,
    ADDRCONFIG, ALL, V4MAPPED, ...errorCodes };
bindDefault(module.exports, Resolver.prototype);
Object.defineProperty(module.exports, 'promises', { configurable: true, enumerable: true,
    get: () => promises });
