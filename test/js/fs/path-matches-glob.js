// path.matchesGlob of both kinds of path.
'use strict';
const path = require('path');
process.removeAllListeners('warning'); // it is experimental in Node 20
process.on('warning', () => {});

for (const kind of ['posix', 'win32'])
    for (const [name, pattern] of [['a/b', '*/b'], ['a/b/c', '*'], ['a/b/c', '**'], ['a/.b', '*/*'],
        ['a/.b', 'a/.*'], ['a\\b', 'a\\b'], ['a\\b', 'a/b'], ['a/b', 'a\\b'], ['A', 'a'], ['', ''], ['a', ''],
        ['x.js', '*.{js,ts}'], ['x.js', '!x.js'], ['#x', '#x'], ['x12', 'x{1..20}'], ['é', '?'],
        ['😀', '?'], ['foo/bar', 'foo/**/bar'], ['foo/bar', 'foo/!(baz)'], ['[x]', '[[]x]'],
        ['a/b/../c', 'a/c'], ['/a', '/*'], ['c:/a', 'C:/a'], ['x1', 'x[[:digit:]]'],
        ['aaa', '+(a)'], ['', '*'], ['a/', 'a'], ['./a', 'a'], ['a', './a']])
        console.log(kind, JSON.stringify(name), pattern, path[kind].matchesGlob(name, pattern));
for (const args of [[], ['a'], [5, 'a'], ['a', null]])
    try {
        path.matchesGlob(...args);
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
