// SPDX-License-Identifier: MIT
// querystring: parse, stringify, escape and unescape, with Node's answers.
'use strict';
const qs = require('node:querystring');

function show(what, fn) {
    try {
        console.log('-', what, fn());
    } catch (error) {
        console.log('-', what, error.name, error.code);
    }
}

console.log(Object.keys(qs), qs.encode === qs.stringify, qs.decode === qs.parse);

for (const text of ['a=1&b=2', 'a=1&a=2&a=3', 'a', 'a=', '=a', '=', '&', '&&a=b&&', 'a=b=c', 'a+b=c+d',
    'a=%20+%2B', '%E2%82%AC=%F0%9F%98%80', '%=1', '%zz=%1', 'a=%E2%82', 'a=%ff%fe', '__proto__=1&toString=2',
    'hasOwnProperty=1&hasOwnProperty=2', 'a[]=1&a[]=2', '\u20ac=\u{1f600}', '', '?a=b#c', 'a=b;c=d'])
    show(`parse ${JSON.stringify(text)}`, () => qs.parse(text));
for (const value of [undefined, null, 1, {}, ['a=1']])
    show('parse', () => qs.parse(value));
show('separators', () => qs.parse('a:1;b:2;b:3', ';', ':'));
show('long ones', () => qs.parse('a=>1, b=>2, c', ', ', '=>'));
show('empty ones', () => qs.parse('a=1&b=2', '', ''));
const many = Array.from({ length: 1500 }, (_, i) => `k${i}=${i}`).join('&');
for (const maxKeys of [undefined, 0, 1, 3, 2000, -1, '2', NaN])
    show(`maxKeys ${maxKeys}`, () => Object.keys(qs.parse(many, null, null, { maxKeys })).length);
show('empty pairs count', () => qs.parse('&&&a=1&b=2', null, null, { maxKeys: 4 }));
show('decoder', () => qs.parse('a+b=%41&c', null, null, { decodeURIComponent: (text) => `<${text}>` }));
show('decoder that throws', () => qs.parse('a+b=%41%ff', null, null,
    { decodeURIComponent() { throw new Error('no'); } }));

for (const object of [{ a: 1, b: 'x y', c: true }, { a: [1, 2, 'z'], b: [] }, { '': '' }, { a: '' },
    { a: null, b: undefined, c: NaN, d: Infinity, e: {}, f: () => 1, g: Symbol('s'), h: 10n, i: 1e21, j: -0 },
    { '\u20ac': '\u{1f600}' }, { "-_.!~*'()": '/?:@&=+$,#[]%' }, [1, 2], Object.create({ inherited: 1 })])
    show('stringify', () => qs.stringify(object));
for (const value of [undefined, null, 'a', 1, true, () => 1])
    show('stringify', () => JSON.stringify(qs.stringify(value)));
show('separators', () => qs.stringify({ a: [1, 2], b: 'c' }, ';', ':'));
show('encoder', () => qs.stringify({ a: [1, 'x y'], b: '' }, null, null,
    { encodeURIComponent: (text) => `<${text}>` }));
show('half a pair', () => qs.stringify({ a: '\ud83d' }));

for (const value of ['a b', '\u00e9', '\u20ac', '\u{1f600}', '\ud83d', '\ud83dx', '\udc00x', 12, null, undefined,
    true, {}, [1, 2], { toString: () => 'own' }, { toString: () => ({}) }, Symbol('s')])
    show('escape', () => qs.escape(value));
for (const text of ['%41', '%4', '%', '%zz', '%e2%82%ac', '%ff', 'a+b', '%ff+\u20ac']) {
    show('unescape', () => [qs.unescape(text), qs.unescape(text, true)]);
    show('unescapeBuffer', () => [qs.unescapeBuffer(text), qs.unescapeBuffer(text, true)]);
}

// What a program replaces is used.
qs.escape = (text) => `[${text}]`;
show('own escape', () => qs.stringify({ a: 'b' }));
qs.unescape = (text) => `[${text}]`;
show('own unescape', () => qs.parse('a=b+c'));
