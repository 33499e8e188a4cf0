// process.env: an object like others, whose own properties are texts.
const { env } = process;
const show = (call) => {
    try {
        console.log(call());
    } catch ({ name, code, message }) {
        console.log(name, code, message);
    }
};
env.WEIR_TEST = 'value';
show(() => [env.hasOwnProperty('WEIR_TEST'), env.hasOwnProperty('NOT_THERE'), env.toString(), typeof env.valueOf, 'toString' in env, 'NOT_THERE' in env]);
show(() => [Object.hasOwn(env, 'toString'), env.constructor !== undefined, env[Symbol.iterator], Symbol.iterator in env, `${env}`]);
env.toString = 'mine';
show(() => [env.toString, delete env.toString, typeof env.toString]);
for (const value of [undefined, null, 5, {}, [], true, 1n, Symbol('s')])
    show(() => { env.WEIR_TEST = value; return env.WEIR_TEST; });
show(() => { env[Symbol('key')] = 1; });
show(() => [env[Symbol('key')], delete env[Symbol('key')], Symbol('key') in env]);
const whole = { writable: true, enumerable: true, configurable: true };
for (const descriptor of [{ value: 1 }, { ...whole, value: 2 }, whole, { get: () => 1 }, { set() {}, ...{ enumerable: true, configurable: true } },
    { ...whole, value: 3, writable: false }, { ...whole, value: undefined }, {}])
    show(() => Object.defineProperty(env, 'WEIR_TEST', descriptor).WEIR_TEST);
show(() => Object.getOwnPropertyDescriptor(env, 'WEIR_TEST'));
show(() => { 'use strict'; return [delete env.WEIR_TEST, delete env.WEIR_TEST, env.WEIR_TEST, 'WEIR_TEST' in env]; });
try { Object.freeze(env); } catch (error) { console.log(error.name, Object.isExtensible(env)); }
env.WEIR_TEST = '=';
show(() => [Object.keys(env).includes('WEIR_TEST'), { ...env }.WEIR_TEST, JSON.parse(JSON.stringify(env)).WEIR_TEST, Object.entries(env).some(([key]) => key === 'WEIR_TEST')]);
