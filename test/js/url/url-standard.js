// Where Node 20 is behind the URL Standard.  The output is also that of Node 24.
// weir only
'use strict';
function show(input, base) {
    let result;
    try {
        result = new URL(input, base).href;
    } catch (error) {
        result = error.code;
    }
    console.log(JSON.stringify([input, base]), result);
}

function set(href, key, value) {
    const url = new URL(href);
    url[key] = value;
    console.log(JSON.stringify([href, key, value]), url.href);
}

show('http://h/^?^#^'); // "^" in a path
show('foo:/..'); // ".." after a host that is not special
show('foo://h/..?q');
show('..#f', 'foo://h');
show('x:a b ?q'); // the last space of an opaque path
show('x:a b #f');
show('x:a b');
show('', 'http://h/p?'); // an empty query of the base
show('?x#', 'mailto:a@b'); // only a fragment can be relative to an opaque path
show('#x', 'mailto:a@b?q#f');
show('file:///C:x/../y'); // "C:x" is not a drive letter
show('file:///C:/../y');
show('http://h//.a$/x/./?q');
show('http://xn--a/'); // broken, but ASCII
show('http://\u05d0a.b/'); // text from right to left must not mix
set('foo:/a', 'host', 'x:90');
set('foo://h:5/a', 'host', ':80');
set('foo:/a', 'hostname', '');
set('foo://h/a', 'pathname', '..');
set('http://h/a', 'pathname', '^');
set('http://h:5/', 'port', 'x'); // no digit
set('http://h:5/', 'hostname', 'x:6');
set('foo:/.//a', 'host', 'h'); // "/." was there for want of a host
set('foo://h//a', 'pathname', '//b');
