// weir only
// Each function and class of url, events of the web, buffer, encoding, crypto, performance, assert,
// events, util and string_decoder, with hostile arguments and receivers: an
// exception or a result, never a crash.
const boom = () => { throw new Error('trap'); };
const throwing = new Proxy(function () {}, { get: boom, has: boom, ownKeys: boom, getPrototypeOf: boom, apply: boom, construct: boom, set: boom,
    getOwnPropertyDescriptor: boom });
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const gone = (Kind, size = 8) => {
    const view = new Kind(new ArrayBuffer(size));
    view.buffer.transfer();
    return view;
};
const shrunk = (() => {
    const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
    const views = [new Uint8Array(buffer), new Uint8Array(buffer, 8), new Uint8Array(buffer, 8, 8), Buffer.from(buffer, 4, 8), new DataView(buffer, 4)];
    buffer.resize(6);
    return views;
})();
const detachedBuffer = new ArrayBuffer(8);
detachedBuffer.transfer();
const fixed = ArrayBuffer.prototype.transferToImmutable ? new ArrayBuffer(8).transferToImmutable() : new ArrayBuffer(8);
const lying = Buffer.from('abcdefgh');
Object.defineProperty(lying, 'length', { value: 1e5 });
Object.defineProperty(lying, 'byteLength', { value: 1e5 });
Object.defineProperty(lying, 'buffer', { get: boom });
const huge = { length: 2 ** 31 }; // not as a receiver: walking it takes its time
const values = [undefined, null, true, 0, -1, 1.5, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 53, 10n ** 40n, '', 'x', '\ud800', 'utf8', 'hex', 'y'.repeat(1e3),
    Symbol('s'), {}, [], () => {}, throwing, revoked, detachedBuffer, gone(Uint8Array), gone(DataView), Object.setPrototypeOf(gone(Uint8Array), Buffer.prototype),
    ...shrunk, lying, fixed, new Uint8Array(fixed), new SharedArrayBuffer(8), new Uint8Array(new SharedArrayBuffer(8)), Buffer.from('some bytes'),
    new Float64Array(3), new Proxy([], {}), new Proxy(new Uint8Array(4), {}), Object.create(null), Object.create(Buffer.prototype), Object.create(Uint8Array.prototype),
    { toString: boom }, { valueOf: boom }, { [Symbol.toPrimitive]: boom }, { get length() { return boom(); } }, huge, { length: -1 }, { length: NaN, 0: 1 },
    { get [Symbol.iterator]() { return boom(); } }, { get signal() { return boom(); } }, { get aborted() { return boom(); } }, new Error('e'), new Map([[1, 2]]), /x/];
const t = require('url'), modules = {
    url: t, 'URL.prototype': URL.prototype, params: URLSearchParams.prototype, buffer: require('buffer'), 'Buffer.prototype': Buffer.prototype,
    crypto: require('crypto'), webcrypto: Object.getPrototypeOf(crypto), performance: Object.getPrototypeOf(performance),
    decoder: TextDecoder.prototype, encoder: TextEncoder.prototype, string: require('string_decoder').StringDecoder.prototype,
    assert: require('assert'), util: require('util'), types: require('util').types, events: require('events'), emitter: require('events').prototype,
    Buffer, URL, mark: PerformanceMark.prototype, pattern: URLPattern.prototype, custom: CustomEvent.prototype,
    message: MessageEvent.prototype, close: CloseEvent.prototype, error: ErrorEvent.prototype, source: EventSource.prototype,
};
const receivers = {
    __proto__: null, 'URL.prototype': () => new URL('http://a/?b'), params: () => new URLSearchParams('a=b'), 'Buffer.prototype': () => Buffer.from('some bytes'),
    webcrypto: () => crypto, performance: () => performance, decoder: () => new TextDecoder(), encoder: () => new TextEncoder(),
    pattern: () => new URLPattern({ pathname: '/:a' }), custom: () => new CustomEvent('a'), message: () => new MessageEvent('a'),
    string: () => new (require('string_decoder').StringDecoder)(), emitter: () => new (require('events'))(),
};
const skip = new Set(['constructor', 'log', 'debug', 'debuglog', 'fail', 'inherits', 'deprecate', '_extend', 'setMaxListeners']);
process.on('uncaughtException', () => {}); // of callbacks that throw
process.on('unhandledRejection', () => {});
let calls = 0, thrown = 0;
function attempt(fn, receiver, args) {
    calls++;
    try {
        const result = Reflect.apply(fn, receiver, args);
        if (result instanceof Promise)
            result.catch(() => {});
    } catch {
        thrown++;
    }
}
for (const [name, object] of Object.entries(modules))
    for (const key of Reflect.ownKeys(object)) {
        const found = Object.getOwnPropertyDescriptor(object, key);
        for (const fn of [found.value, found.get, found.set]) {
            if (typeof fn !== 'function' || skip.has(key) ||
                (fn === found.value && /^[A-Z]|Uint|BE$/.test(String(key))))
                continue;
            for (const a of values) {
                const own = receivers[name]?.() ?? object;
                if (a !== huge)
                    attempt(fn, a, ['x', 0, 1]);
                for (const args of [[a, a, a], [Buffer.alloc(4), a], ['x', 0, a]])
                    attempt(fn, own, args);
            }
        }
    }
for (const Kind of [URL, URLSearchParams, TextDecoder, TextEncoder, Buffer, PerformanceMark, PerformanceEntry, Crypto, require('string_decoder').StringDecoder,
    require('events'), require('assert').AssertionError, URLPattern, CustomEvent, MessageEvent, CloseEvent, ErrorEvent])
    for (const a of values)
        for (const args of [[], [a], [a, a], ['http://a', a], ['utf-8', a], [{ pathname: a, baseURL: a }], ['a', { data: a, ports: a, detail: a, lineno: a, code: a }], [{ actual: a, expected: a, operator: a }]])
            attempt(Reflect.construct, undefined, [Kind, args]);
for (const [i, a] of values.entries())
    for (const [j, b] of values.entries()) {
        if ((i + j) % 3 !== 0)
            continue;
        attempt(require('util').isDeepStrictEqual, undefined, [a, b]);
        attempt(require('assert').deepEqual, undefined, [a, b]);
        for (const encoding of ['utf8', 'hex'])
            attempt(Buffer.from, Buffer, [a, encoding, b]);
    }
performance.clearMarks();
console.log(calls > 30000, thrown > 10000, new URL('http://still/there').host, Buffer.from('works').toString());
process.exitCode = 0;

// long: address thread
