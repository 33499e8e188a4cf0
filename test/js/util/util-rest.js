// util: types, and what it keeps for old programs.
const util = require('util');
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
t(() => util.TextDecoder === TextDecoder && util.TextEncoder === TextEncoder);
t(() => util.toUSVString('a\ud800'));
t(() => util.toUSVString(5));
t(() => util.isArray([]));
t(() => [util.isBoolean(1), util.isNull(null), util.isString(''), util.isObject({}), util.isFunction(t), util.isPrimitive(5), util.isError(new Error()), util.isDate(new Date()), util.isRegExp(/x/), util.isSymbol(Symbol()), util.isUndefined(), util.isNullOrUndefined(null), util.isNumber(5), util.isBuffer(Buffer.alloc(1))]);
t(() => util._extend({ a: 1 }, { b: 2 }));
t(() => util._extend({ a: 1 }, 5)); 
const T = util.types;
for (const [name, value] of [['proxy', new Proxy({}, {})], ['date', new Date()], ['u8c', new Uint8ClampedArray(1)], ['i16', new Int16Array(1)], ['f64', new Float64Array(1)], ['bi', new BigInt64Array(1)], ['bu', new BigUint64Array(1)], ['gen', (function* () {})()], ['fn', async () => {}], ['u32', new Uint32Array(1)], ['buf', Buffer.alloc(1)], ['args', (function () { return arguments; })()], ['num', 5], ['null', null]]) t(() => name + ' ' + Object.keys(T).filter((k) => k !== 'isKeyObject' && k !== 'isCryptoKey' && T[k](value)).sort().join());

t(() => [util.debuglog('third').enabled, util.debug === util.debuglog, util.debuglog('x')('silent')]);
