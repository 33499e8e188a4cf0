// url.parse, url.format, url.resolve and Url, which predate the URL Standard.
// long: address
'use strict';
const url = require('url');
const random = new (require('../support/random.cjs').Random)(20);

process.on('warning', () => {}); // of ports that are none
function attempt(fn) {
    try {
        return fn();
    } catch (error) {
        // URIError of decodeURIComponent has each engine's own message.
        return `${error.name} ${error.code} ${error.code && error.message} ${error.input}`;
    }
}

// ---- every function, on URLs made of random pieces ----

const pieces = ['http:', 'https:', 'file:', 'mailto:', 'javascript:', 'x-y:', 'ws:', '//',
    '/', '///', '\\', '@', 'user', ':', 'pass', '%40', 'a.com', 'Ex.ORG', '[::1]',
    '[fe80::1%25]', '127.0.0.1', '80', ':8080', '?', 'q=1', '&', '#', 'hash', '..', '.',
    './', '../', 'b', ' ', '\t', '\n', '"', "'", '<', '`', '{', '|', '^', ';', '*',
    '\u00fc.de', '\u65e5\u672c', '%', '%zz', '', 'c d', '_', '-', '+', '~', '$', ','];
function made() {
    let text = '';
    for (let i = random.draw('pieces less one', 8) + 1; i > 0; i--)
        text += random.choose('piece', pieces);
    return text;
}

let sum = 0;
for (let i = 0; i < 4000; i++) {
    const one = made(), other = made();
    const lines = [[one, other],
        attempt(() => url.parse(one, i % 2 === 0, i % 3 === 0)),
        attempt(() => url.resolve(one, other)), attempt(() => url.resolveObject(one, other)),
        attempt(() => url.format(one))].map((value) => JSON.stringify(value)).join('\n');
    for (let k = 0; k < lines.length; k++)
        sum = (Math.imul(sum, 31) + lines.charCodeAt(k)) | 0;
    if (i % 400 === 399)
        console.log(i + 1, sum, lines);
}

// ---- objects ----

const international = 'http://u:p@xn--lck1c3crb1723bpq4a.com:8080/a?a=b#c';
for (const value of [{}, { host: 'a:1' }, { protocol: 'http', hostname: 'a', port: 80,
    pathname: 'x?y#z', query: { a: [1, 2], b: '\u00fc' }, hash: 'h' },
{ protocol: 'file', pathname: 'a' }, { protocol: 'mailto', auth: 'a:b@', host: 'c' },
{ slashes: true, pathname: '/a' }, { hostname: '::1', protocol: 'http:' }, { search: 'a#b' },
{ protocol: 'javascript:', pathname: 'x' }, 'a b', new URL(international), null, 1,
undefined, []])
    console.log(attempt(() => url.format(value)));
for (const options of [{}, { fragment: false }, { search: false }, { auth: false },
    { unicode: true }, { unicode: 1, auth: 0, search: 0, fragment: 0 }, null, 1, 'x',
    { fragment: '' }])
    console.log(attempt(() => url.format(new URL(international), options)));
for (const href of ['data:x,y', 'file:///a', 'blob:http://x/y', 'a:/x//y',
    'web+demo:/.//not-a-host/'])
    for (const options of [undefined, { unicode: true }, { fragment: false }])
        console.log(attempt(() => url.format(new URL(href), options)));
for (const value of [undefined, null, 1, {}, [], Symbol('a'), true]) {
    console.log(attempt(() => url.parse(value)));
    console.log(attempt(() => url.resolve(value, 'a')));
    console.log(attempt(() => url.resolve('a', value)));
}
console.log(new url.Url(), url.parse('http://a.com/b?c=d#e', true), url.parse('/a?b', true));
console.log(Object.keys(url), Object.keys(url.Url.prototype), url.parse.name, url.parse.length,
    url.resolve.name, url.format.name, url.resolveObject.name, url.format.length);
console.log(url.parse(url.parse('http://x/')) instanceof url.Url);
console.log(url.resolve('http://a/b/c', new url.Url().parse('../d')));
