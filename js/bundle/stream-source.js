// SPDX-License-Identifier: MIT
// stream-source -- an esbuild plugin that fits the sources of readable-stream
// into weir.
//
// Its imports of Node's modules become those of js/lib.  Its wrappers around
// methods ("primordials") become plain calls of the methods, because an
// interpreter pays for each call; js/engine/intrinsics.patch protects these
// from a program's changes.  For the same reason the flags of a Readable are
// tested as bits where the source uses accessors.
'use strict';

const fs = require('fs');
const changes = require('./stream-changes.js');

const modules = {
    'ours/errors': 'stream/errors',
    'ours/util': 'stream/support',
    'internal/validators': 'stream/check',
    validators: 'stream/check',
    events: 'events/events',
    buffer: 'bytes/buffer',
    'string_decoder/': 'bytes/stringdecoder',
    'abort-controller': 'events/abort',
};

const method = (name) => (self, ...args) => `${self}.${name}(${args.join(', ')})`;
const plain = (name) => (...args) => `${name}(${args.join(', ')})`;

const calls = {
    ArrayIsArray: plain('Array.isArray'),
    ArrayPrototypeIncludes: method('includes'),
    ArrayPrototypeIndexOf: method('indexOf'),
    ArrayPrototypeJoin: method('join'),
    ArrayPrototypeMap: method('map'),
    ArrayPrototypePop: method('pop'),
    ArrayPrototypePush: method('push'),
    ArrayPrototypeSlice: method('slice'),
    FunctionPrototypeCall: method('call'),
    NumberIsInteger: plain('Number.isInteger'),
    NumberIsNaN: plain('Number.isNaN'),
    PromisePrototypeThen: method('then'),
    StringPrototypeToLowerCase: method('toLowerCase'),
    TypedArrayPrototypeSet: method('set'),
};

// Split the arguments of a call whose "(" is at `open`.  Returns them and the
// position after ")".
function argumentsAt(text, open) {
    const args = [];
    let depth = 0, start = open + 1, at = open;
    for (;; at++) {
        const char = text[at];
        if ('([{'.includes(char))
            depth++;
        else if (')]}'.includes(char))
            depth--;
        if ((char === ',' && depth === 1) || depth === 0) {
            args.push(text.slice(start, at).trim());
            start = at + 1;
        }
        if (depth === 0)
            return [args, at + 1];
    }
}

function inlineCalls(text) {
    const pattern = new RegExp(`\\b(${Object.keys(calls).join('|')})\\(`, 'g');
    let result = '', from = 0, found;
    while ((found = pattern.exec(text)) !== null) {
        const [args, end] = argumentsAt(text, pattern.lastIndex - 1);
        result += text.slice(from, found.index) + calls[found[1]](...args.map(inlineCalls));
        pattern.lastIndex = from = end;
    }
    return result + text.slice(from);
}

// `objectMode: makeBitMapDescriptor(kObjectMode)` declares that state.objectMode
// is a bit of state.state.
function testBits(text) {
    const bits = new Map(Array.from(
        text.matchAll(/^ +(\w+): makeBitMapDescriptor\((\w+)\)/gm),
        ([, name, bit]) => [name, bit]));
    if (bits.size === 0)
        return text;
    return text.replace(/\bstate\.(\w+)\b(?: = (true|false)\b| (=) (?!=))?/g,
        (whole, name, value, assigns) => !bits.has(name) || assigns ? whole
            : value === 'true' ? `state.state |= ${bits.get(name)}`
                : value === 'false' ? `state.state &= ~${bits.get(name)}`
                    : `((state.state & ${bits.get(name)}) !== 0)`);
}

// The place of a row of stream-changes.js in the text.
function find(text, what) {
    const isName = /^[\w.]+$/.test(what);
    const from = text.indexOf(!isName ? what : what.includes('.') ? `\n${what} = function`
        : `\nfunction ${what}(`);
    if (from < 0 || (!isName && text.indexOf(what, from + 1) >= 0))
        throw new Error(`readable-stream has changed; not found, or twice: ${what}`);
    return [from, isName ? text.indexOf('\n}\n', from) + 2 : from + what.length];
}

function change(text, file) {
    for (const [where, what, instead] of changes)
        if (file.endsWith(`/${where}.js`) && what instanceof RegExp) {
            if (text.search(what) < 0)
                throw new Error(`readable-stream has changed; not found: ${what}`);
            text = text.replace(what, instead);
        } else if (file.endsWith(`/${where}.js`)) {
            const [from, to] = find(text, what);
            text = text.slice(0, from) + instead + text.slice(to);
        }
    return text;
}

function fit(text, file) {
    return inlineCalls(testBits(change(text, file)))
        .replace(/^ *debug\(.*\)$/gm, '')
        .replaceAll("require('../shims/process')", "require('../../ours/util').process")
        .replace(/^const AbortController = .*$/m, '')
        .replace(/^const \{ StringDecoder \} = .*$/m, '')
        .replaceAll('new AbortController()',
            "new (require('abort-controller').AbortController)()")
        .replaceAll('new StringDecoder(',
            "new (require('string_decoder/').StringDecoder)(")
        .replaceAll('webStreamsAdapters = {}', "webStreamsAdapters = require('stream/adapters')");
}

// There are two bundles.  What one has, the other one takes from it.
const more = ['pipeline', 'compose', 'duplexify', 'operators', 'promises'];
const nameOf = (path) => /([^/]+?)(\.js)?$/.exec(path)[1];

function resolve(path, importer) {
    const found = modules[path.replace(/^[./]*\/(?=.)/, '')];
    if (found !== undefined || path.startsWith('stream/'))
        return { path: found ?? path, external: true };
    const name = nameOf(path), isMore = more.includes(name);
    if (name === 'stream') // of promises.js, for its side effects
        return { path: 'none', namespace: 'none' };
    if (name === 'primordials' || isMore === more.includes(nameOf(importer)))
        return undefined;
    return { path: `${isMore ? 'stream-more' : 'readable-stream'}/${name}`,
        namespace: 'other-bundle' };
}

module.exports = { name: 'stream-source', setup(build) {
    build.onResolve({ filter: /^bundle\// }, ({ path }) => ({ path, external: true }));
    build.onResolve({ filter: /./ }, ({ path, importer }) =>
        (/\/readable-stream\/lib\//.test(importer) ? resolve(path, importer) : undefined));
    build.onLoad({ filter: /./, namespace: 'other-bundle' }, ({ path }) => {
        const [bundle, name] = path.split('/');
        return { contents: `module.exports = require('bundle/${bundle}')['${name}']` };
    });
    build.onLoad({ filter: /\/readable-stream\/lib\/(internal\/|stream).*\.js$/ }, ({ path }) =>
        ({ contents: fit(fs.readFileSync(path, 'utf8'), path), loader: 'js' }));
} };
