// Deep equality of URLs: their hrefs are compared.
'use strict';
const assert = require('assert');
const { isDeepStrictEqual } = require('util');

const [a, b] = ['http://a/', 'http://b/'];
class Own extends URL {}
for (const [x, y] of [
    [new URL(a), new URL(b)],
    [new URL(a), new URL('http://a')],
    [new Own(a), new Own(b)],
    [new Own(a), new Own(a)],
    [new URL(a), new Own(a)],
    [{ url: new URL(a) }, { url: new URL(b) }],
    [[new URL(a)], [new URL(a)]],
    [new Map([[1, new URL(a)]]), new Map([[1, new URL(b)]])],
    [new Set([new URL(a)]), new Set([new URL(b)])],
    [new Set([new URL(a)]), new Set([new URL(a)])],
    [Object.assign(new URL(a), { own: 1 }), new URL(a)],
    [new URL(a), {}],
]) {
    console.log(isDeepStrictEqual(x, y), isDeepStrictEqual(y, x));
    for (const name of ['deepEqual', 'deepStrictEqual'])
        try {
            assert[name](x, y);
            console.log(name, 'equal');
        } catch (error) {
            console.log(name, error.code);
        }
}
