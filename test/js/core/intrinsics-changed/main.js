// What a program does to the engine's builtins does not change what the modules
// do.  (It does in Node, in part.)
// weir only
'use strict';

const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames } = Object;
const changes = []; // [object, key, descriptor]

function change(object, key, value) {
    const before = getOwnPropertyDescriptor(object, key);
    defineProperty(object, key, { __proto__: null, configurable: true,
        enumerable: false, writable: true, value });
    changes[changes.length] = [object, key, before];
}
function restore() {
    while (changes.length > 0) {
        const { 0: object, 1: key, 2: before } = changes[changes.length - 1];
        changes.length--;
        if (before === undefined)
            delete object[key];
        else
            defineProperty(object, key, before);
    }
}
const evil = () => { throw new Error('evil'); };

const values = { a: 1, list: [1, 2, 3], map: new Map([['k', { v: 1 }]]), set: new Set(['x']),
    date: new Date(0), re: /x/g, fn() {}, sym: Symbol('s'), big: 10n,
    typed: new Uint8Array(3), nested: { deep: { deeper: { deepest: 1 } } } };
const again = [new Map([[1, 2]]), new Map([[1, 2]])];
let expected;

// What the modules do, compared with the first time after the changes are
// undone.
function use(name) {
    const results = [];
    const attempt = (what, run) => {
        let result;
        try {
            result = run();
        } catch (error) {
            result = 'threw ' + error.message;
        }
        results[results.length] = what + ': ' + result;
    };
    const util = require('util'), path = require('path'), assert = require('assert');
    const fs = require('fs'), url = require('url'), events = require('events');
    attempt('require', () => require('./directory'));
    attempt('require.resolve', () => path.basename(require.resolve('./directory')));
    attempt('console.log', () => console.log(name, { a: [1, { b: 2 }], c: values.map },
        values.set, [undefined, null]));
    attempt('console.table', () => console.table([{ a: 1, b: 2 }]));
    attempt('inspect', () => util.inspect(values));
    attempt('format', () => util.format('%s %d %i %j %o', 'text', 1.5, 2.7, { a: 1 }, [1]));
    attempt('path', () => path.join('/a', '../b', './c') + path.resolve('/x', 'y') +
        path.relative('/a/b', '/a/c') + path.parse('/d/e.txt').ext);
    attempt('URL', () => new URL('../x?y=1#z', 'http://user@host:81/a/b/c').href);
    attempt('URLSearchParams', () => new URLSearchParams({ a: '1', b: 'two words' }).toString());
    attempt('fileURLToPath', () => url.fileURLToPath('file:///a/b%20c'));
    attempt('Buffer', () => Buffer.from('text').toString('base64') +
        Buffer.concat([Buffer.from('a'), Buffer.from([98])]).toString());
    attempt('events', () => {
        const emitter = new events();
        let got = '';
        emitter.on('x', (value) => { got += value; });
        emitter.once('x', (value) => { got += value; });
        emitter.emit('x', 1);
        emitter.emit('x', 2);
        return got + emitter.listenerCount('x');
    });
    attempt('EventTarget', () => {
        const target = new EventTarget();
        let count = 0;
        target.addEventListener('x', () => count++, { once: true });
        target.dispatchEvent(new Event('x'));
        target.dispatchEvent(new Event('x'));
        return count;
    });
    attempt('assert', () => {
        assert.deepStrictEqual({ a: [1, again[0]] }, { a: [1, again[1]] });
        try {
            assert.strictEqual(1, 2);
        } catch (error) {
            return error.code;
        }
        return undefined;
    });
    attempt('fs', () => fs.readFileSync(__filename, 'utf8').length > 100 &&
        fs.statSync(__dirname).isDirectory() && fs.readdirSync(__dirname + '/directory').length);
    attempt('fs error', () => {
        try {
            fs.readFileSync('/absent/file');
        } catch (error) {
            return error.message;
        }
        return undefined;
    });
    attempt('structuredClone', () => util.inspect(structuredClone({ a: [1, { b: 2 }] })));
    attempt('TextDecoder', () => new TextDecoder().decode(new TextEncoder().encode('häß')));
    attempt('parseArgs', () => util.inspect(util.parseArgs({ args: ['-f', '--bar', 'b'],
        options: { f: { type: 'boolean', short: 'f' }, bar: { type: 'string' } } }).values));
    attempt('process', () => typeof process.env.PATH + process.argv.length);
    restore();
    expected ??= results;
    for (let i = 0; i < results.length; i++)
        if (results === expected || results[i] !== expected[i])
            console.log(`${name}: ${results[i]}`);
}

use('nothing');

for (const key of ['main', 'exports', 'name', 'type', 'get', 'set', 'value', 'writable',
    'enumerable', 'configurable', 'encoding', 'recursive', 'flag', 'signal', 'once',
    'depth', 'colors', 'done', 'length', '0', 'short', 'default', 'cause'])
    change(Object.prototype, key, key === 'main' ? './evil.js' : evil);
use('Object.prototype');

change(Array.prototype, Symbol.iterator, evil);
use('Array iterator');

change(Object.getPrototypeOf([][Symbol.iterator]()), 'next', evil);
use('next');

for (const key of getOwnPropertyNames(Array.prototype))
    if (key !== 'length' && key !== 'constructor' && key !== 'pop')
        change(Array.prototype, key, evil);
use('Array.prototype');

for (const owner of [String, Map, Set, WeakMap, RegExp, Function, Date, Promise, Number])
    for (const key of getOwnPropertyNames(owner.prototype))
        if (typeof getOwnPropertyDescriptor(owner.prototype, key).value === 'function' &&
            key !== 'constructor')
            change(owner.prototype, key, evil);
use('prototypes');

for (const owner of [Array, String, Number, Promise, JSON, Math])
    for (const key of getOwnPropertyNames(owner))
        if (typeof getOwnPropertyDescriptor(owner, key).value === 'function')
            change(owner, key, evil);
change(Reflect, 'ownKeys', evil);
change(Object, 'keys', evil);
change(Object, 'assign', evil);
change(Object, 'entries', evil);
change(Object, 'defineProperty', evil);
use('functions');

for (const key of ['Map', 'Set', 'WeakMap', 'WeakSet', 'Array', 'String', 'RegExp', 'Promise',
    'Error', 'TypeError', 'RangeError', 'Symbol', 'Reflect', 'JSON', 'Math', 'Uint8Array',
    'ArrayBuffer', 'Date', 'parseInt', 'decodeURIComponent', 'Number', 'Boolean', 'BigInt'])
    change(globalThis, key, undefined);
use('globals');
