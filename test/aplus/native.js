// SPDX-License-Identifier: MIT
// native -- the Promises/A+ suite against the Promise of whoever runs this
// file: weir test/aplus/native.js, or node.  Prints TAP.
//
// The suite asks for mocha's describe, specify, beforeEach and afterEach, and
// no more.
'use strict';

const { Promise } = globalThis;
const LIMIT_MS = 20000; // of one test; a busy machine needs some

// ---- mocha's part ----

const root = { title: '', parent: null, before: [], after: [], tests: [] };
const tests = [];
let group = root;

globalThis.describe = (title, body) => {
    group = { title, parent: group, before: [], after: [] };
    body();
    group = group.parent;
};
globalThis.specify = globalThis.it =
    (title, body) => tests.push({ title, body, parent: group });
globalThis.beforeEach = (body) => group.before.push(body);
globalThis.afterEach = (body) => group.after.push(body);

// Outermost first.
function groupsOf(test) {
    const groups = [];
    for (let at = test.parent; at !== null; at = at.parent)
        groups.unshift(at);
    return groups;
}

// A test ends by done(), or by the first thing that it throws, then or later.
let fail = null;

function runBody(test) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('not done in time')),
            LIMIT_MS);
        const end = (settle) => (value) => {
            clearTimeout(timer);
            settle(value);
        };

        fail = end(reject);
        try {
            if (test.body.length === 0)
                end(resolve)(test.body());
            else
                test.body((error) => error ? fail(error) : end(resolve)());
        } catch (error) {
            fail(error);
        }
    });
}

async function run(test) {
    const groups = groupsOf(test);

    groups.forEach((one) => one.before.forEach((hook) => hook()));
    try {
        await runBody(test);
    } finally {
        groups.reverse().forEach((one) => one.after.forEach((hook) => hook()));
    }
}

// ---- the suite ----

globalThis.adapter = {
    resolved: (value) => Promise.resolve(value),
    rejected: (reason) => Promise.reject(reason),
    deferred() {
        const deferred = {};
        deferred.promise = new Promise((resolve, reject) =>
            Object.assign(deferred, { resolve, reject }));
        return deferred;
    },
};

process.on('unhandledRejection', () => {}); // the suite leaves many
require('promises-aplus-tests/lib/testFiles');
process.on('uncaughtException', (error) => fail(error));

async function main() {
    let failures = 0;

    for (const [index, test] of tests.entries()) {
        const name = `${index + 1} - ${[...groupsOf(test), test]
            .map((one) => one.title).join(' ').trim()}`.replaceAll('#', '');
        try {
            await run(test);
            console.log(`ok ${name}`);
        } catch (error) {
            failures++;
            console.log(`not ok ${name}\n# ${error?.stack ?? error}`);
        }
    }
    console.log(`1..${tests.length}`);
    if (tests.length !== 872)
        console.log(`Bail out! the suite has 872 tests, not ${tests.length}`);
    process.exitCode = failures === 0 && tests.length === 872 ? 0 : 1;
}

main();
