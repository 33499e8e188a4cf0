// SPDX-License-Identifier: MIT
// node:test/reporters -- and from a stream of events, through reporters, to files.
'use strict';

const reporters = {
    get dot() { return require('test/dot'); },
    get junit() { return require('test/junit'); },
    get spec() { return makeSpec; },
    get tap() { return require('test/tap'); },
    get lcov() { return require('test/lcov'); },
};

// With and without `new`.
const makeSpec = Object.defineProperty(function (...args) {
    return new (require('test/spec'))(...args);
}, 'name', { value: 'value', configurable: true });

const builtin = ['dot', 'junit', 'spec', 'tap', 'lcov'];

// For the explorer, whose report has what the program prints.
async function* showFailures(source) {
    const { colorsOf, formatError } = require('test/lines');
    for await (const { type, data } of source)
        if (type === 'test:fail' && data.details.error.failureType !== 'subtestsFailed')
            yield `test '${data.name}' fails:\n` +
                formatError(data.details.error, colorsOf(), '');
}

function load(name) {
    if (name === 'weir:explored')
        return showFailures;
    if (builtin.includes(name))
        return reporters[name];
    const path = require('fs/path'), Module = require('program/module').Module;
    const from = Module.createRequire(path.join(require('program/process').cwd(), 'x'));
    const loaded = from(name.startsWith('file:') ? require('url/node').fileURLToPath(name)
        : name);
    return loaded?.default ?? loaded;
}

function isClass(value) {
    return typeof value === 'function' && value.prototype !== undefined &&
        Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
}

function destination(name) {
    const process = require('program/process');
    return name === 'stdout' ? process.stdout : name === 'stderr' ? process.stderr
        : require('fs/fs').createWriteStream(name);
}

// One reporter: a function of an async iterable, a stream or a class of streams.
// The promise is fulfilled when everything was written.
function connectOne(events, name, target) {
    if (name === 'weir:frames')
        return ended(events.pipe(new (require('test/frames').Sender)()), 'finish');
    let reporter = load(name);
    if (reporter === makeSpec || isClass(reporter))
        reporter = new reporter();
    const { compose } = require('stream/stream');
    const output = compose(events, reporter), to = destination(target);
    output.pipe(to);
    return target === 'stdout' || target === 'stderr' ? ended(output, 'end')
        : ended(to, 'finish');
}

const ended = (stream, event) => new Promise((resolve) => stream.on(event, resolve));

// `harness.flushed` is a promise: everything was written.
async function connect(harness) {
    const { reporters: names, destinations } = harness.options;
    await undefined; // the tests of the program come first
    harness.flushed = Promise.all(names.map((name, i) =>
        connectOne(harness.reporter, name, destinations[i])));
}

module.exports = { connect, node: reporters };
