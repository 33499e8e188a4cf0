// weir only: Node 20 has no URLPattern
// How patterns are made of strings, objects and a base URL.  The expected values
// follow from the URL Pattern Standard (WHATWG, 2026-09).
'use strict';

const assert = require('assert');
const names = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search',
    'hash'];
const made = (...args) => {
    const pattern = new URLPattern(...args);
    return names.map((name) => pattern[name]).join(' ').replaceAll(/(?<= |^)(?= |$)/g, '-');
};
function check(rows) {
    for (const [expected, ...args] of rows)
        if (expected === TypeError)
            assert.throws(() => new URLPattern(...args), TypeError, String(args.map(String)));
        else
            assert.strictEqual(made(...args), expected, JSON.stringify(args));
}

// 1.6 "Constructor string parsing".  What comes after the last component that is
// given matches everything; what is left out before it is empty.
check([
    ['https * * example.com - /a * *', 'https://example.com/a'],
    ['https * * example.com - * * *', 'https://example.com'],
    ['https * * example.com - / q *', 'https://example.com?q'],
    ['https * * example.com - / - h', 'https://example.com#h'],
    ['https * * example.com 8080 / - h', 'https://example.com:8080/#h'],
    ['https * * * * /x * *', 'https://*:*/x'],
    ['http{s}? * * {:sub.}?a.example - /p/:id([0-9]+) - r',
        'http{s}?://{:sub.}?a.example/p/:id([0-9]+)#r'],
    ['https u p h - /* * *', 'https://u\\:p@h/*'],
    ['https u:p * h - * * *', 'https://u:p@h'], // a group p
    ['https :u * h - * * *', 'https://:u@h'],
    ['https * * a:b.com 80 * * *', 'https://a:b.com:80'],
    ['https * * [\\:\\:1] 80 /x * *', 'https://[\\:\\:1]:80/x'],
    ['https * * [:a] - /x * *', 'https://[:a]/x'],
    ['data * * - - text/* * *', 'data\\:text/*'],
    ['data * * - - foo bar *', 'data\\:foo?bar'],
    ['(data|javascript) * * - - x * *', '(data|javascript)\\:x'],
    [TypeError, 'data:foo'], // a group foo, and no protocol
    ['https * * h - /a(b)? * *', 'https://h/a(b)?'],
    ['https * * h - /a b *', 'https://h/a\\?b'],
    ['https * * h - /:a?x * *', 'https://h/:a?x'],
    ['https * * h - /* q *', 'https://h/*\\?q'],
    ['https * * h - /a b\\?c d#e', 'https://h/a?b\\?c#d#e'],
    ['foo * * - - /a * *', 'foo:/a'],
    ['foo * * h - /a * *', 'foo://h/a'],
    ['* * * * * /a * *', '*://*:*/a'],
    // the default port is no port
    ['https * * h - * * *', 'https://h:443'],
    ['http * * h 443 * * *', 'http://h:443'],
    ['http * * h - * * *', 'http://h:0080'],
    // relative strings need a base URL
    [TypeError, '/a'], [TypeError, ''], [TypeError, 'example.com/a'],
    ['https * * h - /b * *', '/b', 'https://h/a'],
    ['https * * h - /b/a/x * *', 'x', 'https://h/b/a/'],
    ['https * * h - /b/x * *', 'x', 'https://h/b/a'],
    ['https * * h - /x * *', '../x', 'https://h/b/a'],
    ['https * * h - /b/a q=:x *', '?q=:x', 'https://h/b/a'],
    ['https * * h - /b/a q :x', '#:x', 'https://h/b/a?q#h'],
    ['https * * h - /a * *', '{/a}', 'https://h/b/c'],
    ['http * * h 81 /c * *', '/c', 'http://u:p@h:81/a?q#h'],
    // what is special in patterns is escaped in what the base URL gives
    ['https * * h - /a\\+b/\\(c\\)/x * *', 'x', 'https://h/a+b/(c)/y'],
]);

// 3.2 "URLPatternInit processing"
check([
    ['* * * * * * * *', {}],
    ['* * * * * /a * *', { pathname: '/a' }],
    ['https * * h - /a q h', { baseURL: 'https://h/a?q#h' }],
    ['https * * h - /x * *', { pathname: '/x', baseURL: 'https://h/a?q#h' }],
    ['https * * h - /a x *', { search: 'x', baseURL: 'https://h/a?q#h' }],
    ['https * * h - /a q x', { hash: 'x', baseURL: 'https://h/a?q#h' }],
    ['http * * * * * * *', { protocol: 'http', baseURL: 'https://h:8/a?q#h' }],
    ['https * * x * * * *', { hostname: 'x', baseURL: 'https://h:8/a?q#h' }],
    ['https * * h 9 * * *', { port: '9', baseURL: 'https://h:8/a?q#h' }],
    ['https u * h 8 /a q h', { username: 'u', baseURL: 'https://x:y@h:8/a?q#h' }],
    ['data * * - - x * *', { pathname: 'x', baseURL: 'data:a/b' }],
    ['https * * * * * q h', { protocol: 'https:', search: '?q', hash: '#h' }],
    ['https * * * * * \\?q #h', { protocol: 'https', search: '?\\?q', hash: '##h' }],
    [TypeError, { baseURL: 'x' }],
    [TypeError, { pathname: '/a' }, 'https://h'],
]);

// 3.1 "Encoding callbacks": fixed text becomes what a URL has there.
check([
    ['https * * * * * * *', { protocol: 'HTTPS' }],
    ['* caf%C3%A9 a%3Ab * * * * *', { username: 'café', password: 'a\\:b' }],
    ['* * * xn--caf-dma.com * * * *', { hostname: 'CAFÉ.com' }],
    ['* * * 127.0.0.1 * * * *', { hostname: '0x7f.1' }],
    ['* * * [\\:\\:ab] * * * *', { hostname: '[\\:\\:AB]' }],
    ['* * * {[\\:\\:ab}?] * * * *', { hostname: '{[\\:\\:AB}?]' }],
    ['* * * * 80 * * *', { port: '0080' }],
    ['http * * * - * * *', { protocol: 'http', port: '80' }],
    ['* * * * * /caf%C3%A9/%20 * *', { pathname: '/café/ ' }],
    ['* * * * * /b * *', { pathname: '/a/../b' }],
    ['* * * * * /a/:x/b * *', { pathname: '/a/:x/c/../b' }], // within a piece of text
    ['* * * * * /a.:x * *', { pathname: '/a.:x' }],
    ['foo * * * * /a/../b * *', { protocol: 'foo', pathname: '/a/../b' }],
    ['* * * * * * q=%27caf%C3%A9 *', { search: "q='café" }],
    ['* * * * * * * caf%C3%A9%60', { hash: 'café`' }],
    [TypeError, { protocol: 'a b' }], [TypeError, { protocol: 'é' }],
    [TypeError, { hostname: 'a b' }], [TypeError, { hostname: 'a|b' }],
    [TypeError, { hostname: '[g]' }], [TypeError, { port: 'x' }], [TypeError, { port: '65536' }],
]);

// 2.3 "Converting part lists to pattern strings": the shortest form of a pattern
const canonical = [['/(.*)', '/*'], ['/{a}b', '/ab'], ['/{:a}b', '/{:a}b'], ['/:a{b}', '{/:a}b'],
    ['/:a(.*)', '/:a(.*)'], ['/:a([^\\/]+?)', '/:a'], ['/([^\\/]+?)', '/([^\\/]+?)'],
    ['/:a(x)?', '/:a(x)?'], ['/{a:b}', '/{a:b}'], ['/a{/:b}?', '/a/:b?'], ['/{a}?', '/{a}?'],
    ['/**', '/**'], ['/*(.*)', '/*(.*)'], ['/{/}:b', '//{:b}'], ['/{:a}/', '/{:a}/'],
    ['/:a:b', '/:a:b'], ['/:a(x)(y)', '/:a(x)(y)'], ['/:a{(x)}', '{/:a}(x)'], ['{/:a}*', '/:a*'],
    ['/a\\:b', '/a\\:b'], ['/:a\\b', '{/:a}b'], ['/{:a\\b}?', '/{:a\\b}?'], ['/{}a', '/a'],
    ['/{:a.b}?', '/{:a.b}?'], ['/a{}?', '/a'], ['/\\a', '/a']];
for (const [pathname, expected] of canonical) {
    const text = new URLPattern({ pathname }).pathname;
    assert.strictEqual(text, expected);
    // and it means the same
    assert.strictEqual(new URLPattern({ pathname: text }).pathname, text);
}

// 2.1.2 "Tokenizing", 2.1.5 "Parsing": what is no pattern
for (const pathname of ['/:', '/:1', '/(', '/()', '/(?x)', '/((a))', '/(é)', '/(\\é)', '/(a',
    '/(a\\', '/{', '/}', '/{a', '/{{a}}', '/{:a:b}', '/?', '/a+', '/a?', '/:a:a', '/(a)(?b)',
    '/([)', '/\\', '/{a}??'])
    assert.throws(() => new URLPattern({ pathname }), TypeError, pathname);

// Web IDL: overloads, dictionaries, attributes
assert.deepStrictEqual([URLPattern.length, URLPattern.prototype.test.length,
    URLPattern.prototype.exec.length, String(new URLPattern())], [0, 0, 0, '[object URLPattern]']);
assert.deepStrictEqual(Object.keys(URLPattern.prototype).sort(),
    [...names, 'exec', 'hasRegExpGroups', 'test'].sort());
assert.strictEqual(Object.keys(globalThis).includes('URLPattern'), false);
check([['* * * * * * * *', undefined], ['* * * * * * * *', null], ['* * * * * * * *', {}, null],
    ['* * * * * * * *', []], [TypeError, 5], [TypeError, '/a', null], [TypeError, '/a', {}],
    ['https * * h - /a * *', '/a', 'https://h', null], [TypeError, '/a', 'https://h', 5],
    [TypeError, '/a', 'null', {}], [TypeError, Symbol()], [TypeError, { pathname: Symbol() }],
    [TypeError, undefined, 'https://h', {}]]);
for (const call of [() => URLPattern(), () => URLPattern.prototype.test.call({}),
    () => URLPattern.prototype.pathname, () => new URLPattern().exec({}, 'http://h'),
    () => new URLPattern().test(Symbol())])
    assert.throws(call, TypeError);
const pattern = new URLPattern({ pathname: '/:x' });
assert.throws(() => { pattern.pathname = 'other'; }, TypeError);
console.log(pattern);
