// What surrounds the parser of URL: conversions, errors, classes that extend it, copies, origins.
'use strict';
const util = require('util');
const v8 = require('v8');
const assert = require('assert');
const show = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message, e.input, e.base);
    }
};

// Arguments are converted once, in order.
const log = [];
const text = (value) => ({ toString() { log.push(value); return value; } });
show(() => new URL(text('b'), text('http://h/a/')).href + log.splice(0));
show(() => new URL(text('b')));
show(() => new URL(text('b\ud800'), text('c')));
show(() => URL.canParse(text('b'), text('http://h')) + ' ' + log.splice(0));
show(() => { new URL('http://h').href = text('x'); });
show(() => log.splice(0));
show(() => new URL('http://h', null));
show(() => new URL('http://h', undefined).href);

// Receivers, and calls without new.
show(() => URL('http://h'));
show(() => Object.getOwnPropertyDescriptor(URL.prototype, 'href').get.call({}));
show(() => URL.prototype.toString.call(new URLSearchParams()));
show(() => Object.create(new URL('http://h')).href);
show(() => URL.canParse.call(undefined, 'http://h'));

// Classes that extend it.
class Own extends URL {
    constructor(input) {
        super(input);
        this.extra = 1;
    }
    get port() { return 'mine'; }
}
show(() => [new Own('http://h:5/x'), new Own('http://h') instanceof URL, Own.canParse('http://h')]);
show(() => new Own('bad'));
show(() => Reflect.construct(URL, ['http://h'], Array) instanceof Array);

// Copies and comparisons.
const url = Object.assign(new URL('http://h/?x'), { extra: 5 });
show(() => [structuredClone(url), structuredClone([new URL('http://h')]), v8.deserialize(v8.serialize(url))]);
show(() => assert.deepStrictEqual(new URL('http://h/'), new URL('http://h')));
show(() => util.isDeepStrictEqual(new URL('http://h/'), new URL('http://h/x')));
show(() => JSON.stringify({ url }) + `${url}` + Object.keys(url));

// searchParams
show(() => {
    const one = new URL('http://h/?x=1#f'), params = one.searchParams;
    params.delete('x');
    const without = one.href;
    one.search = 'a\tb';
    params.append('c', 'd e');
    const changed = one.href;
    one.href = 'foo:x?y=z';
    return [without, changed, `${params}`, one.searchParams === params];
});

// Origins.
for (const input of ['https://u:p@h:5/x', 'http://h:80', 'blob:https://u@h:5/x', 'blob:ftp://h/x', 'blob:x', 'blob:blob:http://h',
    'file:///x', 'foo://h/', 'ws://h:80/', 'ftp://h'])
    show(() => new URL(input).origin);

// Long ones; one U+FDFA becomes 18 characters.
show(() => new URL('x'.repeat(2000) + ':' + '\u00e9'.repeat(5000)).href.length);
show(() => new URL('http://' + '\u00fc'.repeat(50) + '.com/' + 'b'.repeat(3000)).href.length);
show(() => new URL('http://' + '\ufdfa'.repeat(300) + '/x?' + '\u00e9'.repeat(100)).host.length);
show(() => { const one = new URL('http://h/'); one.hostname = '\ufdfa'.repeat(300); return one.host.length; });
show(() => new URL('x'.repeat(500), 'http://h/' + 'y'.repeat(600) + '/').href.length);
show(() => new URL('\t' + 'x\n'.repeat(600) + ' ', 'http://h/').href.length);

// A program that replaces what converts domains cannot change a URL meanwhile.
const { normalize } = String.prototype;
const target = new URL('http://h/path');
String.prototype.normalize = function (...args) {
    target.href = 'http://other/' + 'x'.repeat(3000);
    return Reflect.apply(normalize, this, args);
};
target.host = '\u00e9.com';
show(() => target.href);
