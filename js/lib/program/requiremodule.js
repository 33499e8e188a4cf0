// SPDX-License-Identifier: MIT
// requiremodule -- require() of an ES module, which must not wait at its top
// level.  A module of two lines imports it, because the engine has no other way
// to run one and return its outcome at once.
//
// The engine cannot run a module that is already running.  Each running ES
// module imports, directly or not, the CommonJS file whose turn it is; so a
// module that does not reach such a file reaches no running module.  It must
// not reach one that was required and is still running, either, which Node
// refuses, too.  While an ES module's own code runs, there is no way to tell
// which one it is, so everything is refused.
'use strict';

const { coded } = require('core/errors');
const { running, executing, imports, urlOf, evaluateNow, nesting } = require('program/module');

let count = 0;

function reaches(start, goals) {
    const seen = new Set([start]);
    for (const id of seen) { // including those added meanwhile
        if (goals.has(id))
            return true;
        for (const next of imports.get(id) ?? [])
            seen.add(next);
    }
    return false;
}

function cycle(file, parent, more = '') {
    return coded(Error, 'ERR_REQUIRE_CYCLE_MODULE', `Cannot require() ES Module ${
        file} in a cycle.${parent ? ` (from ${parent.filename})` : ''}${more}`);
}

function checkCycle(id, file, parent) {
    const goals = [...running.map((one) => one.id), ...[...executing].map(urlOf)];
    if (reaches(id, new Set(goals)))
        throw cycle(file, parent, ' A cycle involving require(esm) is not allowed ' +
            'to maintain invariants mandated by the ECMAScript specification. Try ' +
            'making at least part of the dependency in the graph lazily loaded.');
}

function isInsideModule() {
    const levels = new Set(running.map((one) => one.level));
    levels.delete(0);
    return levels.size !== nesting();
}

function refuse(file, parent) {
    return coded(Error, 'ERR_REQUIRE_ESM', `require() of ES Module ${file}` +
        `${parent ? ` from ${parent.filename}` : ''} not supported.\n` +
        'Instead change the require to a dynamic import() which is ' +
        'available in all CommonJS modules.');
}

function evaluate(text, file, parent) {
    const names = evaluateNow(text, `weir:require/${count++}`);
    if (names === undefined)
        throw coded(Error, 'ERR_REQUIRE_ASYNC_MODULE', 'require() cannot be used on ' +
            'an ESM graph with top-level await. Use import() instead.' +
            `${parent ? `\n  From ${parent.filename} ` : ''}\n  Requiring ${file} `);
    return names;
}

// The result of require(): as in Node, with __esModule for transpiled code if
// there is a default export.
function load(file, parent) {
    const id = urlOf(file), name = JSON.stringify(id);
    if (isInsideModule())
        throw refuse(file, parent);
    require('program/module').prepareOnce(id);
    checkCycle(id, file, parent);
    const { names } = evaluate(`import * as names from ${name}; export { names };`,
        file, parent);
    if ('module.exports' in names)
        return names['module.exports'];
    if (!('default' in names) || '__esModule' in names)
        return names;
    return evaluate(`export * from ${name}; export { default } from ${name};
        export const __esModule = true;`, file, parent);
}

module.exports = { load, cycle };
