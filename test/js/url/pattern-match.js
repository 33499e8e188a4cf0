// weir only: Node 20 has no URLPattern
// What patterns match, and which groups they have.  The expected values follow
// from the URL Pattern Standard (WHATWG, 2026-09): 1.4 "match", 2.1 "Parsing
// pattern strings", 2.2 "Converting part lists to regular expressions".
'use strict';

const assert = require('assert');
const none = undefined;

// Pathname of the pattern, then pathnames with their groups; null: no match.
const paths = [
    // fixed text (2.1.5, "fixed-text" parts)
    ['/a/b', ['/a/b', {}], ['/a', null], ['/a/b/', null], ['/A/b', null]],
    ['/a{b}c', ['/abc', {}]],
    ['/a.b', ['/a.b', {}], ['/axb', null]],
    // named groups end at the delimiter "/" (1.5, "pathname options")
    ['/:id', ['/x', { id: 'x' }], ['/x/y', null], ['/', null]],
    ['/:a/:b', ['/1/2', { a: '1', b: '2' }], ['/1', null]],
    ['/:a-:b', ['/1-2-3', { a: '1', b: '2-3' }]],
    ['/:café', ['/x', { café: 'x' }]],
    ['/:a.html', ['/x.html', { a: 'x' }], ['/x.htm', null]],
    // wildcards are greedy, and numbered
    ['/*', ['/', { 0: '' }], ['/a/b', { 0: 'a/b' }]],
    ['/*/x/*', ['/a/b/x/', { 0: 'a/b', 1: '' }]],
    ['*', ['', { 0: '' }], ['/x', { 0: '/x' }]],
    // regular expressions, with the flag v
    ['/:id(\\d+)', ['/12', { id: '12' }], ['/1a', null]],
    ['/(\\d+)/(a|b)', ['/1/b', { 0: '1', 1: 'b' }], ['/1/c', null]],
    ['/([a-z]+)-([[0-9]--[5]]+)', ['/a-46', { 0: 'a', 1: '46' }], ['/a-5', null]],
    ['/((?:x|y)+)', ['/xyx', { 0: 'xyx' }]],
    ['/:a(.*)', ['/x/y', { a: 'x/y' }]],
    // modifiers; the "/" before a group belongs to it
    ['/a/:b?', ['/a', { b: none }], ['/a/x', { b: 'x' }], ['/a/', null], ['/ax', null]],
    ['/a/:b+', ['/a/x', { b: 'x' }], ['/a/x/y', { b: 'x/y' }], ['/a', null]],
    ['/a/:b*', ['/a', { b: none }], ['/a/x/y', { b: 'x/y' }], ['/a/', null]],
    ['/a/(\\d)*', ['/a/1/2', { 0: '1/2' }], ['/a', { 0: none }]],
    ['/a/*?', ['/a', { 0: none }], ['/a/x/y', { 0: 'x/y' }]],
    ['/a{/b}?', ['/a', {}], ['/a/b', {}], ['/a/b/b', null]],
    ['/a{b}*c', ['/ac', {}], ['/abbc', {}]],
    ['/a{b}+', ['/a', null], ['/abb', {}]],
    ['/a{:b}?', ['/a', { b: none }], ['/ax', { b: 'x' }]],
    ['/a/{:b}?', ['/a/', { b: none }], ['/a', null]],
    // a prefix and a suffix are repeated between repetitions, and not captured
    ['/{x:a(\\d+)y}+', ['/x1y', { a: '1' }], ['/x1yx2y', { a: '1yx2' }], ['/', null]],
    ['/{x:a-}*', ['/', { a: none }], ['/x1-', { a: '1' }]],
    // escapes
    ['/a\\:b\\*\\{\\}\\(\\)\\?\\+\\\\', ['/a:b*{}()?+/', {}]],
    ['/:a\\b', ['/xb', { a: 'x' }]],
    // a group that is called like a property of every object
    ['/:__proto__/:constructor', ['/x/y', JSON.parse('{"__proto__":"x","constructor":"y"}')]],
];
for (const [pathname, ...inputs] of paths) {
    const pattern = new URLPattern({ pathname });
    for (const [input, groups] of inputs) {
        const result = pattern.exec({ pathname: input });
        assert.strictEqual(pattern.test({ pathname: input }), groups !== null,
            `${pathname} ${input}`);
        assert.deepStrictEqual(result && result.pathname.groups, groups, `${pathname} ${input}`);
    }
}

// Each component has its own delimiter: "." in hostnames, none in the others (1.5).
const components = [
    [{ hostname: ':a.example.com' }, { hostname: 'x.example.com' }, { a: 'x' }],
    [{ hostname: ':a.example.com' }, { hostname: 'x.y.example.com' }, null],
    [{ hostname: '{*.}?example.com' }, { hostname: 'example.com' }, { 0: none }],
    [{ protocol: 'http{s}?' }, { protocol: 'https' }, {}],
    [{ protocol: ':p' }, { protocol: 'a.b' }, { p: 'a.b' }],
    [{ port: '80*' }, { port: '8080' }, { 0: '80' }],
    [{ search: 'q=:q' }, { search: '?q=a/b.c' }, { q: 'a/b.c' }],
    [{ hash: ':h' }, { hash: '#a/b' }, { h: 'a/b' }],
    [{ username: 'u:n' }, { username: 'ux' }, { n: 'x' }],
    [{ password: '(\\w+)' }, { password: 'p w' }, null],
];
for (const [pattern, input, groups] of components) {
    const [name] = Object.keys(pattern);
    const result = new URLPattern(pattern).exec(input);
    assert.deepStrictEqual(result && result[name].groups, groups, JSON.stringify(pattern));
}

// ignoreCase concerns the pathname, the search and the hash only (1.4, "create").
const folded = new URLPattern({ username: 'u', pathname: '/a/:x', search: 'q', hash: 'h' },
    { ignoreCase: true });
assert.ok(folded.test({ username: 'u', pathname: '/A/B', search: 'Q', hash: 'H' }));
assert.ok(!folded.test({ username: 'U', pathname: '/A/B', search: 'Q', hash: 'H' }));
assert.strictEqual(folded.exec({ username: 'u', pathname: '/A/B', search: 'Q', hash: 'H' })
    .pathname.groups.x, 'B');

// hasRegExpGroups: only groups with an expression of their own (1.4).
for (const [pathname, has] of [['/a', false], ['/:a', false], ['/*', false], ['/(.*)', false],
    ['/:a([^\\/]+?)', false], ['/(a)', true], ['/:a(\\d+)?', true], ['/{x}?', false]])
    assert.strictEqual(new URLPattern({ pathname }).hasRegExpGroups, has, pathname);

// What an input is: a URL that cannot be parsed matches nothing (1.4, "match").
const any = new URLPattern();
assert.deepStrictEqual([any.test(), any.test({}), any.test('x'), any.test('x', 'http://h'),
    any.test('x', 'y'), any.test({ port: 'x' }), any.test({ baseURL: 'x' }),
    any.test({ hostname: 'a b' }), any.test(new URL('ftp://h'))],
[true, true, false, true, false, false, false, false, true]);
assert.deepStrictEqual(any.exec('?q#h', 'http://u:p@h:81/a'), {
    inputs: ['?q#h', 'http://u:p@h:81/a'],
    protocol: { input: 'http', groups: { 0: 'http' } },
    username: { input: 'u', groups: { 0: 'u' } },
    password: { input: 'p', groups: { 0: 'p' } },
    hostname: { input: 'h', groups: { 0: 'h' } },
    port: { input: '81', groups: { 0: '81' } },
    pathname: { input: '/a', groups: { 0: '/a' } },
    search: { input: 'q', groups: { 0: 'q' } },
    hash: { input: 'h', groups: { 0: 'h' } },
});
assert.deepStrictEqual(any.exec({ pathname: '/x', hash: 5, other: 1 }).inputs,
    [{ pathname: '/x', hash: '5' }]);
console.log('all as expected');
