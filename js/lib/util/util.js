// SPDX-License-Identifier: MIT
// util -- the supported part of Node's util; see docs/guide/javascript.md.
'use strict';

const { inspect, stripVTControlCharacters, isError, isProxy, classOf } =
    require('util/inspect');
const { format, formatWithOptions } = require('util/format');
const { invalidArgType, coded } = require('core/errors');

const customPromisify = Symbol.for('nodejs.util.promisify.custom');

function promisify(original) {
    if (typeof original !== 'function')
        throw invalidArgType('original', 'of type function', original);
    const ready = original[customPromisify];
    if (ready) {
        if (typeof ready !== 'function')
            throw invalidArgType('util.promisify.custom', 'of type function', ready);
        return Object.defineProperty(ready, customPromisify,
            { value: ready, writable: true, configurable: true });
    }
    function fn(...args) {
        return new Promise((resolve, reject) => {
            Reflect.apply(original, this, [...args, (error, value) =>
                error ? reject(error) : resolve(value)]);
        });
    }
    Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
    Object.defineProperty(fn, customPromisify,
        { value: fn, writable: true, configurable: true });
    return Object.defineProperties(fn, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = customPromisify;

function callbackify(original) {
    if (typeof original !== 'function')
        throw invalidArgType('original', 'of type function', original);
    const { nextTick } = require('program/process');
    function callbackified(...args) {
        const done = args.pop();
        if (typeof done !== 'function')
            throw invalidArgType('last argument', 'of type function', done);
        Reflect.apply(original, this, args).then(
            (value) => nextTick(done.bind(this), null, value),
            (reason) => {
                if (!reason) {
                    const error = coded(Error, 'ERR_FALSY_VALUE_REJECTION',
                        'Promise was rejected with falsy value');
                    error.reason = reason;
                    reason = error;
                }
                nextTick(done.bind(this), reason);
            });
    }
    // The length counts one more argument, the callback.
    const shape = Object.getOwnPropertyDescriptors(original);
    if (typeof shape.length?.value === 'number')
        shape.length.value++;
    if (typeof shape.name?.value === 'string')
        shape.name.value += 'Callbackified';
    return Object.defineProperties(callbackified, shape);
}

function inherits(ctor, parent) {
    if (ctor == null)
        throw invalidArgType('ctor', 'of type function', ctor);
    if (parent == null)
        throw invalidArgType('superCtor', 'of type function', parent);
    if (parent.prototype === undefined)
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "superCtor.prototype" ' +
            'property must be of type object. Received undefined');
    Object.defineProperty(ctor, 'super_',
        { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(ctor.prototype, parent.prototype);
}

const warnedOf = new Set(); // codes

function deprecate(fn, message, code) {
    if (code !== undefined && typeof code !== 'string')
        throw invalidArgType('code', 'of type string', code);
    let warned = false;
    function deprecated(...args) {
        if (!warned) {
            warned = true;
            if (!warnedOf.has(code))
                require('program/process').emitWarning(message, 'DeprecationWarning', code);
            if (code !== undefined)
                warnedOf.add(code);
        }
        return new.target ? Reflect.construct(fn, args, new.target)
            : Reflect.apply(fn, this, args);
    }
    Object.setPrototypeOf(deprecated, fn);
    if (fn.prototype)
        deprecated.prototype = fn.prototype;
    return deprecated;
}

const is = (...kinds) => (value) => value !== null &&
    (typeof value === 'object' || typeof value === 'function') &&
    kinds.includes(classOf(value));

const types = {
    isExternal: () => false, isProxy,
    isKeyObject: (value) => require('crypto/keys').isKeyObject(value),
    isCryptoKey: (value) => require('crypto/keys').isCryptoKey(value),
    isArrayBuffer: is('ArrayBuffer'), isSharedArrayBuffer: is('SharedArrayBuffer'),
    isAnyArrayBuffer: is('ArrayBuffer', 'SharedArrayBuffer'),
    isArrayBufferView: ArrayBuffer.isView, isDataView: is('DataView'),
    isTypedArray: (value) => ArrayBuffer.isView(value) && classOf(value) !== 'DataView',
    isDate: is('Date'), isRegExp: is('RegExp'),
    isMap: is('Map'), isSet: is('Set'), isWeakMap: is('WeakMap'),
    isWeakSet: is('WeakSet'), isPromise: is('Promise'), isNativeError: require('util/kinds').isError,
    isMapIterator: is('Map Iterator'), isSetIterator: is('Set Iterator'),
    isNumberObject: is('Number'), isStringObject: is('String'),
    isBooleanObject: is('Boolean'), isSymbolObject: is('Symbol'),
    isBigIntObject: is('BigInt'),
    isBoxedPrimitive: is('Number', 'String', 'Boolean', 'Symbol', 'BigInt'),
    isArgumentsObject: is('Arguments', 'MappedArguments'),
    isAsyncFunction: is('AsyncFunction', 'AsyncGeneratorFunction'),
    isGeneratorFunction: is('GeneratorFunction', 'AsyncGeneratorFunction'),
    isGeneratorObject: is('Generator', 'AsyncGenerator'),
    isModuleNamespaceObject: is('Module'),
};
for (const kind of ['Uint8', 'Uint8Clamped', 'Uint16', 'Uint32', 'Int8', 'Int16',
    'Int32', 'Float32', 'Float64', 'BigInt64', 'BigUint64'])
    types[`is${kind}Array`] = is(`${kind}Array`);

// ---- deprecated functions that Node still has ----

const old = {
    _extend(target, source) {
        return source === null || typeof source !== 'object' ? target
            : Object.assign(target, source);
    },
    isArray: Array.isArray,
    isBoolean: (value) => typeof value === 'boolean',
    isBuffer: (value) => require('bytes/buffer').Buffer.isBuffer(value),
    isNull: (value) => value === null,
    isNullOrUndefined: (value) => value == null,
    isNumber: (value) => typeof value === 'number',
    isString: (value) => typeof value === 'string',
    isSymbol: (value) => typeof value === 'symbol',
    isUndefined: (value) => value === undefined,
    isRegExp: types.isRegExp,
    isObject: (value) => value !== null && typeof value === 'object',
    isDate: types.isDate,
    isError,
    isFunction: (value) => typeof value === 'function',
    isPrimitive: (value) => value === null ||
        (typeof value !== 'object' && typeof value !== 'function'),
};

// ---- debuglog: to stderr, if NODE_DEBUG names the section ----

function isWanted(section) {
    const names = require('program/process').env.NODE_DEBUG ?? '';
    return names.split(',').some((name) => name !== '' && new RegExp(
        `^${name.replace(/[|\\{}()[\]^$+?.]/g, '\\$&').replaceAll('*', '.*')}$`, 'i')
        .test(section));
}

function debuglog(section, callback = undefined) {
    const name = `${section}`.toUpperCase();
    let isOn, isTold = false;
    const enabled = () => isOn ??= isWanted(name);
    function logger(...args) {
        if (!isTold) {
            isTold = true;
            if (typeof callback === 'function')
                callback(logger);
        }
        const { pid, stderr } = require('program/process');
        if (enabled())
            stderr.write(`${name} ${pid}: ${format(...args)}\n`);
    }
    return Object.defineProperty(logger, 'enabled',
        { get: enabled, configurable: true, enumerable: true });
}

function checkedFormat(options, ...args) {
    if (options === null || typeof options !== 'object')
        throw invalidArgType('inspectOptions', 'of type object', options);
    return formatWithOptions(options, ...args);
}
Object.defineProperty(checkedFormat, 'name', { value: 'formatWithOptions' });

// ---- and others ----

// While the signal is kept alive by others; `resource` ends with it.
async function aborted(signal, resource) {
    if (signal === null || typeof signal !== 'object' || !('aborted' in signal))
        throw invalidArgType('signal', 'an instance of AbortSignal', signal);
    if (resource === null || (typeof resource !== 'object' && typeof resource !== 'function'))
        throw invalidArgType('resource', 'of type object', resource);
    if (signal.aborted)
        return undefined;
    return new Promise((resolve) => {
        const weak = new WeakRef(resource);
        signal.addEventListener('abort', (event) => {
            if (weak.deref() !== undefined)
                resolve(event);
        }, { once: true });
    });
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov',
    'Dec'];

function log(...args) {
    const now = new Date(), two = (number) => `${number}`.padStart(2, '0');
    const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':');
    require('program/console').log('%s - %s',
        `${now.getDate()} ${months[now.getMonth()]} ${time}`, format(...args));
}

const getSystemErrorMap = () => require('net/errors').all();

function getSystemErrorName(err) {
    if (typeof err !== 'number')
        throw invalidArgType('err', 'of type number', err);
    if (err >= 0 || !Number.isSafeInteger(err))
        throw require('core/errors').outOfRange('err', 'a negative integer', err);
    return require('net/errors').nameOf(err) ?? `Unknown system error ${err}`;
}

module.exports = { inspect, aborted, getSystemErrorMap, getSystemErrorName, format,
    formatWithOptions: checkedFormat, stripVTControlCharacters,
    log: deprecate(log, 'util.log is deprecated.', 'DEP0059'),
    parseEnv: (content) => require('util/dotenv').parseEnv(content),
    styleText: (...args) => require('util/style').styleText(...args),
    promisify, callbackify, inherits, deprecate, types, debuglog, debug: debuglog,
    isDeepStrictEqual: (a, b) => require('util/deepequal').isDeepStrictEqual(a, b),
    parseArgs: (config) => require('util/parseargs').parseArgs(config),
    toUSVString: (value) => `${value}`.toWellFormed(), ...old };
for (const [name, lib] of [['TextEncoder', 'bytes/encoding'], ['TextDecoder', 'bytes/encoding'],
    ['MIMEType', 'util/mime'], ['MIMEParams', 'util/mime']])
    Object.defineProperty(module.exports, name, {
        configurable: true, enumerable: true,
        get: () => require(lib)[name],
        set(value) {
            Object.defineProperty(module.exports, name, { value, writable: true,
                configurable: true, enumerable: true });
        },
    });
